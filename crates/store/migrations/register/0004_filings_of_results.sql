-- The figures of quarters and halves beside those of years, and each filing of a period as a row of its
-- own: which of them counts is decided when they are read, by the time of filing. Rows of before are years
-- whose filing is not known. And what is known of the symbols under which companies are listed.

create table financial_periods (
    cin text /*bytewise*/ not null,
    to_date text /*bytewise*/ not null,
    basis text /*bytewise*/ not null,
    period_type text /*bytewise*/ not null,
    filing text /*bytewise*/ not null,
    financial_year text not null,
    from_date text not null,
    form_type text,
    filed_on text,
    filed_at text,
    filing_number bigint,
    revenue bigint,
    other_income bigint,
    total_income bigint,
    total_expenses bigint,
    finance_cost bigint,
    depreciation bigint,
    ebitda bigint,
    profit_before_exceptional_items bigint,
    exceptional_items bigint,
    profit_before_tax bigint,
    tax bigint,
    profit bigint,
    profit_to_owners bigint,
    share_capital bigint,
    reserves bigint,
    net_worth bigint,
    total_debt bigint,
    total_assets bigint,
    current_assets bigint,
    current_liabilities bigint,
    cash bigint,
    flags text,
    as_of text,
    source text not null,
    primary key (cin, to_date, basis, period_type, filing)
) /*clustered*/;

insert into financial_periods (cin, to_date, basis, period_type, filing, financial_year, from_date,
    form_type, filed_on, revenue, other_income, total_income, total_expenses, finance_cost, depreciation,
    ebitda, profit_before_tax, tax, profit, share_capital, reserves, net_worth, total_debt, total_assets,
    current_assets, current_liabilities, cash, as_of, source)
select cin, to_date, basis, 'year', '', financial_year, from_date,
    form_type, filed_on, revenue, other_income, total_income, total_expenses, finance_cost, depreciation,
    ebitda, profit_before_tax, tax, profit, share_capital, reserves, net_worth, total_debt, total_assets,
    current_assets, current_liabilities, cash, as_of, source
from financial_years;

drop table financial_years;

alter table financial_periods rename to financial_years;

create table listed_symbols (
    symbol text /*bytewise*/ not null,
    cin text not null,
    as_of text,
    primary key (symbol)
) /*clustered*/;
