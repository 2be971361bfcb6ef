//! The settings of single sign-on by OpenID Connect.

use std::num::NonZeroU32;

use panji_store::ledger::{Account, Role};
use serde::Deserialize;

use super::error::SsoSettingsError;
use super::url::check_url;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SsoSettings {
    /// The provider's issuer identifier; empty for no single sign-on.
    pub issuer: String,
    pub client_id: String,
    /// Empty for a client without a secret.
    pub client_secret: String,
    /// The provider's name on the button.
    pub name: String,
    /// Separated by spaces.
    pub scopes: String,
    /// The id or the email address of the account whose members log in through the provider.
    pub account: String,
    /// A claim, or the path of one with dots.
    pub groups_claim: String,
    /// Groups of each role, separated by semicolons: names of groups can contain commas.
    pub owner_groups: String,
    pub developer_groups: String,
    pub billing_groups: String,
    /// The claim that says whether the email address is verified.
    pub email_verified_claim: String,
    /// Whether all members of the account must log in through the provider.
    pub required: bool,
    /// After this time the browser must log in again.
    pub session_hours: NonZeroU32,
}

impl SsoSettings {
    pub fn is_on(&self) -> bool {
        !self.issuer.is_empty()
    }

    /// Whether this is the account whose members log in through the provider.
    pub fn is_account(&self, account: &Account) -> bool {
        let named = self.account.trim();
        self.is_on() && (account.id == named || account.email == named.to_lowercase())
    }

    /// The role with the most permissions that one of these groups has.
    pub fn role_of(&self, groups: &[String]) -> Option<Role> {
        let has = |setting: &str| {
            let mut named = setting.split(';').map(str::trim).filter(|name| !name.is_empty());
            named.any(|name| groups.iter().any(|group| group == name))
        };
        let roles = [
            (Role::Owner, &self.owner_groups),
            (Role::Developer, &self.developer_groups),
            (Role::Billing, &self.billing_groups),
        ];
        roles.into_iter().find(|(_, setting)| has(setting)).map(|(role, _)| role)
    }

    pub(super) fn check(&self) -> Result<(), SsoSettingsError> {
        if !self.is_on() {
            return Ok(());
        }
        check_url("sso.issuer", &self.issuer)?;
        let needed = [
            ("sso.client_id", &self.client_id),
            ("sso.name", &self.name),
            ("sso.account", &self.account),
            ("sso.groups_claim", &self.groups_claim),
            ("sso.email_verified_claim", &self.email_verified_claim),
        ];
        if let Some((name, _)) = needed.iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(SsoSettingsError::Missing { name });
        }
        if !self.scopes.split_whitespace().any(|scope| scope == "openid") {
            return Err(SsoSettingsError::NoOpenid);
        }
        let groups = [&self.owner_groups, &self.developer_groups, &self.billing_groups];
        if groups.iter().all(|setting| setting.split(';').all(|name| name.trim().is_empty())) {
            return Err(SsoSettingsError::NoGroups);
        }
        Ok(())
    }
}

// Not derived, so that no secret is logged.
impl std::fmt::Debug for SsoSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SsoSettings")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Overrides};

    fn load(changes: &[(&str, &str)]) -> Result<Config, String> {
        let settings = [
            ("sso.issuer", "https://id.example.in"),
            ("sso.client_id", "panji"),
            ("sso.account", "Asha@Firm.Example"),
            ("sso.owner_groups", "panji-admins; CN=Heads,OU=Risk"),
            ("sso.billing_groups", "accounts"),
        ];
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let settings = settings.iter().chain(changes).map(own).collect();
        let overrides = Overrides { file: None, settings };
        Config::load(&overrides, std::iter::empty()).map_err(|error| error.to_string())
    }

    #[test]
    fn incomplete_settings_are_refused_by_name() {
        let check = |changes: &[(&str, &str)], part: &str| {
            let error = load(changes).expect_err(part);
            assert!(error.contains(part), "{error}");
        };
        check(&[("sso.client_id", "")], "sso.client_id is missing");
        check(&[("sso.account", " ")], "sso.account is missing");
        check(&[("sso.issuer", "http://id.example.in")], "sso.issuer must begin with https://");
        check(&[("sso.issuer", "id")], "sso.issuer");
        check(&[("sso.scopes", "email profile")], "sso.scopes must contain openid");
        check(&[("sso.owner_groups", ";"), ("sso.billing_groups", "")], "sso.developer_groups");
        assert!(load(&[("sso.issuer", "http://127.0.0.1:9000")]).is_ok());
    }

    #[test]
    fn the_group_with_the_most_permissions_decides_the_role() {
        let sso = load(&[]).expect("complete settings").sso;
        let role = |groups: &[&str]| {
            sso.role_of(&groups.iter().map(|group| (*group).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(role(&["accounts", "CN=Heads,OU=Risk"]), Some(Role::Owner));
        assert_eq!(role(&["accounts", "panji-admin"]), Some(Role::Billing));
        assert_eq!(role(&["Accounts", "", ";"]), None);
        assert_eq!(role(&[]), None);
    }
}
