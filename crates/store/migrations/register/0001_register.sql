-- The register. Dates are ISO text, money is whole paise, lists that are only ever shown whole are
-- JSON text. Every key begins with what the row belongs to. Two marks are read by the migrator:
-- "clustered" stores the rows in key order, "bytewise" compares text byte by byte, on both engines.

create table companies (
    cin text /*bytewise*/ not null,
    name text not null,
    kind text not null,
    status text not null,
    status_text text,
    class text,
    class_text text,
    category text,
    category_text text,
    sub_category text,
    sub_category_text text,
    listed boolean,
    incorporated_on text,
    registration_number text,
    address text,
    city text,
    district text,
    state text,
    state_code text,
    pincode text,
    country text,
    email text,
    roc_code text,
    roc_name text,
    nic_code text,
    nic_description text,
    former_names text not null,
    former_cins text not null,
    authorised_capital bigint,
    paid_up_capital bigint,
    members bigint,
    last_agm_on text,
    last_balance_sheet_on text,
    last_annual_return_year text,
    as_of text,
    source text not null,
    primary key (cin)
);

create table company_aliases (
    former_cin text /*bytewise*/ not null,
    cin text not null,
    primary key (former_cin)
) /*clustered*/;

create table company_pans (
    cin text /*bytewise*/ not null,
    pan text not null,
    as_of text,
    source text not null,
    primary key (cin)
) /*clustered*/;

create index company_pans_by_pan on company_pans (pan, cin);

create table directors (
    din text /*bytewise*/ not null,
    name text not null,
    status text not null,
    status_text text,
    nationality text,
    as_of text,
    source text not null,
    primary key (din)
);

create table appointments (
    cin text /*bytewise*/ not null,
    din text /*bytewise*/ not null,
    appointed_on text /*bytewise*/ not null,
    name text not null,
    designation text not null,
    designation_text text,
    ceased_on text,
    as_of text,
    source text not null,
    primary key (cin, din, appointed_on)
) /*clustered*/;
create index appointments_by_din on appointments (din, cin);

create table charges (
    cin text /*bytewise*/ not null,
    charge_id text /*bytewise*/ not null,
    lender text not null,
    amount bigint,
    status text not null,
    created_on text,
    modified_on text,
    satisfied_on text,
    assets text,
    address text,
    as_of text,
    source text not null,
    primary key (cin, charge_id)
) /*clustered*/;

create table financial_years (
    cin text /*bytewise*/ not null,
    to_date text /*bytewise*/ not null,
    basis text /*bytewise*/ not null,
    financial_year text not null,
    from_date text not null,
    form_type text,
    filed_on text,
    revenue bigint,
    other_income bigint,
    total_income bigint,
    total_expenses bigint,
    finance_cost bigint,
    depreciation bigint,
    ebitda bigint,
    profit_before_tax bigint,
    tax bigint,
    profit bigint,
    share_capital bigint,
    reserves bigint,
    net_worth bigint,
    total_debt bigint,
    total_assets bigint,
    current_assets bigint,
    current_liabilities bigint,
    cash bigint,
    as_of text,
    source text not null,
    primary key (cin, to_date, basis)
) /*clustered*/;

create table filings (
    cin text /*bytewise*/ not null,
    filing_key text /*bytewise*/ not null,
    form_type text not null,
    description text not null,
    financial_year text,
    due_on text,
    filed_on text,
    as_of text,
    source text not null,
    primary key (cin, filing_key)
) /*clustered*/;

create table documents (
    cin text /*bytewise*/ not null,
    filing_date text /*bytewise*/ not null,
    file_name text /*bytewise*/ not null,
    form_type text not null,
    financial_year text,
    file_size bigint,
    as_of text,
    source text not null,
    primary key (cin, filing_date, file_name)
) /*clustered*/;

create table credit_ratings (
    cin text /*bytewise*/ not null,
    agency text /*bytewise*/ not null,
    instrument text /*bytewise*/ not null,
    rated_on text /*bytewise*/ not null,
    rating text not null,
    outlook text,
    action text,
    amount bigint,
    as_of text,
    source text not null,
    primary key (cin, agency, instrument, rated_on)
) /*clustered*/;

create table epfo_establishments (
    cin text /*bytewise*/ not null,
    establishment_id text /*bytewise*/ not null,
    name text not null,
    status text,
    employees bigint,
    last_wage_month text,
    amount bigint,
    paid_on text,
    as_of text,
    source text not null,
    primary key (cin, establishment_id)
) /*clustered*/;

create table gst_registrations (
    gstin text /*bytewise*/ not null,
    pan text,
    legal_name text not null,
    trade_name text,
    status text not null,
    status_text text,
    taxpayer_type text not null,
    taxpayer_type_text text,
    constitution text not null,
    constitution_text text,
    registered_on text,
    cancelled_on text,
    jurisdiction_centre text,
    jurisdiction_state text,
    principal_place text,
    additional_places text not null,
    nature_of_business text not null,
    e_invoice boolean,
    as_of text,
    source text not null,
    primary key (gstin)
);
create index gst_registrations_by_pan on gst_registrations (pan, gstin);

create table gst_filings (
    gstin text /*bytewise*/ not null,
    period text /*bytewise*/ not null,
    return_type text /*bytewise*/ not null,
    financial_year text not null,
    filed_on text,
    mode text,
    arn text,
    status text not null,
    as_of text,
    source text not null,
    primary key (gstin, period, return_type)
) /*clustered*/;

-- Each really changed record, numbered without gaps in the order of the commits.
create table changes (
    seq bigint not null,
    resource text not null,
    record_key text not null,
    fields text not null,
    changed_at bigint not null,
    source text not null,
    primary key (seq)
) /*clustered*/;

create table change_head (
    id bigint not null,
    seq bigint not null,
    primary key (id)
);
insert into change_head (id, seq) values (1, 0);
