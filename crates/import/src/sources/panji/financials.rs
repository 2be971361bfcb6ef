//! Lines about money: charges and financial years.

use jiff::Timestamp;
use jiff::civil::Date;
use panji_store::register::{Charge, FinancialYear};
use serde::Deserialize;

use super::source::SOURCE;
use crate::values::field::{canonical_cin, date, financial_year_of, paise, required};
use crate::values::reason::Reason;
use crate::values::rupees::Paise;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChargeLine {
    cin: String,
    charge_id: String,
    lender: String,
    amount: Option<Paise>,
    created_on: Option<Date>,
    modified_on: Option<Date>,
    satisfied_on: Option<Date>,
    assets: Option<String>,
    address: Option<String>,
    as_of: Option<Date>,
}

impl ChargeLine {
    pub fn into_record(self) -> Result<Charge, Reason> {
        let status = match (self.satisfied_on, self.modified_on) {
            (Some(_), _) => "satisfied",
            (None, Some(_)) => "modified",
            (None, None) => "open",
        };
        Ok(Charge {
            cin: canonical_cin(&self.cin)?,
            charge_id: required("charge_id", self.charge_id)?,
            lender: required("lender", self.lender)?,
            amount: paise(self.amount),
            status: status.to_owned(),
            created_on: date(self.created_on),
            modified_on: date(self.modified_on),
            satisfied_on: date(self.satisfied_on),
            assets: self.assets,
            address: self.address,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinancialYearLine {
    cin: String,
    from_date: Date,
    to_date: Date,
    basis: Basis,
    #[serde(default)]
    period_type: PeriodType,
    form_type: Option<String>,
    filed_on: Option<Date>,
    filed_at: Option<Timestamp>,
    revenue: Option<Paise>,
    other_income: Option<Paise>,
    total_income: Option<Paise>,
    total_expenses: Option<Paise>,
    finance_cost: Option<Paise>,
    depreciation: Option<Paise>,
    ebitda: Option<Paise>,
    profit_before_exceptional_items: Option<Paise>,
    exceptional_items: Option<Paise>,
    profit_before_tax: Option<Paise>,
    tax: Option<Paise>,
    profit: Option<Paise>,
    profit_to_owners: Option<Paise>,
    share_capital: Option<Paise>,
    reserves: Option<Paise>,
    net_worth: Option<Paise>,
    total_debt: Option<Paise>,
    total_assets: Option<Paise>,
    current_assets: Option<Paise>,
    current_liabilities: Option<Paise>,
    cash: Option<Paise>,
    as_of: Option<Date>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Basis {
    Standalone,
    Consolidated,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PeriodType {
    #[default]
    Year,
    HalfYear,
    NineMonths,
    Quarter,
}

impl PeriodType {
    fn word(&self) -> &'static str {
        match self {
            PeriodType::Year => "year",
            PeriodType::HalfYear => "half_year",
            PeriodType::NineMonths => "nine_months",
            PeriodType::Quarter => "quarter",
        }
    }
}

impl FinancialYearLine {
    pub fn into_record(self) -> Result<FinancialYear, Reason> {
        if self.from_date > self.to_date {
            let text = format!("from_date {} is after to_date {}", self.from_date, self.to_date);
            return Err(Reason::new("from_date is after to_date", text));
        }
        let basis = match self.basis {
            Basis::Standalone => "standalone",
            Basis::Consolidated => "consolidated",
        };
        Ok(FinancialYear {
            cin: canonical_cin(&self.cin)?,
            to_date: self.to_date.to_string(),
            basis: basis.to_owned(),
            period_type: self.period_type.word().to_owned(),
            filing: String::new(),
            financial_year: financial_year_of(self.to_date),
            from_date: self.from_date.to_string(),
            form_type: self.form_type,
            filed_on: date(self.filed_on),
            filed_at: self.filed_at.map(|instant| instant.to_string()),
            filing_number: None,
            revenue: paise(self.revenue),
            other_income: paise(self.other_income),
            total_income: paise(self.total_income),
            total_expenses: paise(self.total_expenses),
            finance_cost: paise(self.finance_cost),
            depreciation: paise(self.depreciation),
            ebitda: paise(self.ebitda),
            profit_before_exceptional_items: paise(self.profit_before_exceptional_items),
            exceptional_items: paise(self.exceptional_items),
            profit_before_tax: paise(self.profit_before_tax),
            tax: paise(self.tax),
            profit: paise(self.profit),
            profit_to_owners: paise(self.profit_to_owners),
            share_capital: paise(self.share_capital),
            reserves: paise(self.reserves),
            net_worth: paise(self.net_worth),
            total_debt: paise(self.total_debt),
            total_assets: paise(self.total_assets),
            current_assets: paise(self.current_assets),
            current_liabilities: paise(self.current_liabilities),
            cash: paise(self.cash),
            flags: None,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}
