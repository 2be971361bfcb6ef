//! The permissions of each role.

use panji_store::ledger::Role;

/// An action that needs a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Create, roll and revoke keys.
    ManageKeys,
    /// Make calls from the console that spend the account's credits.
    MakeCalls,
    /// Buy credits and see payments and invoices.
    Buy,
    /// Invite and remove members, change roles, rename the account.
    ManageMembers,
    /// Export all data of the account, and delete it.
    OwnAccount,
}

impl Permission {
    /// In the order in which the console lists them.
    pub const ALL: [Permission; 5] = [
        Permission::ManageKeys,
        Permission::MakeCalls,
        Permission::Buy,
        Permission::ManageMembers,
        Permission::OwnAccount,
    ];

    /// The description in the console.
    pub fn sentence(self) -> &'static str {
        match self {
            Permission::ManageKeys => "Create, roll and revoke keys",
            Permission::MakeCalls => "Make API requests in the console",
            Permission::Buy => "Buy credits, view payments and invoices",
            Permission::ManageMembers => "Invite, remove and edit members",
            Permission::OwnAccount => "Download all data, delete the account",
        }
    }
}

pub fn may(role: Role, permission: Permission) -> bool {
    use Permission::{Buy, MakeCalls, ManageKeys, ManageMembers, OwnAccount};
    match role {
        Role::Owner => true,
        Role::Developer => match permission {
            ManageKeys | MakeCalls => true,
            Buy | ManageMembers | OwnAccount => false,
        },
        Role::Billing => match permission {
            Buy => true,
            ManageKeys | MakeCalls | ManageMembers | OwnAccount => false,
        },
    }
}

/// The description of a role in the console.
pub fn description(role: Role) -> &'static str {
    match role {
        Role::Owner => "full access",
        Role::Developer => "manages keys and makes API requests",
        Role::Billing => "buys credits and views invoices",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_role_has_some_of_the_permissions_of_an_owner() {
        for permission in Permission::ALL {
            assert!(may(Role::Owner, permission), "{permission:?}");
        }
        for role in [Role::Developer, Role::Billing] {
            assert!(Permission::ALL.iter().any(|permission| may(role, *permission)));
            assert!(!may(role, Permission::ManageMembers));
        }
    }
}
