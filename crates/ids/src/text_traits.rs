//! The text traits of every identifier.

/// Implements the text traits of an identifier: `Display`, `FromStr`, `TryFrom<&str>`, `AsRef<str>`
/// and `Debug`.
macro_rules! text_traits {
    ($type:ident) => {
        crate::text_traits::text_traits!($type, debug = as_str);
    };
    ($type:ident, debug = derived) => {
        impl core::fmt::Display for $type {
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl core::str::FromStr for $type {
            type Err = crate::error::IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl TryFrom<&str> for $type {
            type Error = crate::error::IdError;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::parse(text)
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    };
    ($type:ident, debug = $shown:ident) => {
        crate::text_traits::text_traits!($type, debug = derived);

        impl core::fmt::Debug for $type {
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter.debug_tuple(stringify!($type)).field(&self.$shown()).finish()
            }
        }
    };
}
pub(crate) use text_traits;
