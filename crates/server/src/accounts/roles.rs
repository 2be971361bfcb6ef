//! What each role may do: the one table.

use panji_store::ledger::Role;

/// Something that not every member may do.
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
    /// Take all data of the account, and delete it.
    OwnAccount,
}

impl Permission {
    /// All permissions, in the order they are explained.
    pub const ALL: [Permission; 5] = [
        Permission::ManageKeys,
        Permission::MakeCalls,
        Permission::Buy,
        Permission::ManageMembers,
        Permission::OwnAccount,
    ];

    /// What it allows, in words.
    pub fn sentence(self) -> &'static str {
        match self {
            Permission::ManageKeys => "Create, roll and revoke keys",
            Permission::MakeCalls => "Make calls from the console",
            Permission::Buy => "Buy credits, see payments and invoices",
            Permission::ManageMembers => "Invite, remove and change members",
            Permission::OwnAccount => "Download all data, delete the account",
        }
    }
}

/// Whether a role may do something.
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

/// What a role is for, in words.
pub fn description(role: Role) -> &'static str {
    match role {
        Role::Owner => "may do everything",
        Role::Developer => "makes keys and calls",
        Role::Billing => "buys credits and sees invoices",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_but_the_owner_lacks_something_and_has_something() {
        for permission in Permission::ALL {
            assert!(may(Role::Owner, permission), "{permission:?}");
        }
        for role in [Role::Developer, Role::Billing] {
            assert!(Permission::ALL.iter().any(|permission| may(role, *permission)));
            assert!(!may(role, Permission::ManageMembers));
        }
    }
}
