//! The page of an operation, with the form to try it.

use std::sync::Arc;

use askama::Template;
use axum::body::to_bytes;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::response::Response;
use axum::{Extension, http};
use panji_api::accounts::roles::Permission;
use panji_api::app::App;

use super::content::{Content, Docs};
use super::inline::inline;
use super::layout::{Layout, Reader};
use super::reference::{Parameter, Reference};
use super::trial::{Availability, Trial, Values, availability, send};
use crate::console::api_call::ApiCalls;
use crate::console::forms::{MAX_FORM_BYTES, verify_csrf_token};
use crate::console::page_error::PageError;
use crate::console::session::{Anonymous, SignedIn};

#[derive(Template)]
#[template(path = "docs_reference.html")]
struct ReferenceTemplate<'a> {
    layout: Layout<'a>,
    reference: &'a Reference,
    form: Form,
    trial: Option<Trial>,
    /// Why the form was not sent.
    problem: Option<String>,
}

/// The form as this reader sees it.
struct Form {
    values: Values,
    /// The CSRF token; empty without a session.
    token: String,
    /// The name of the account that calls; none for an anonymous user.
    account: Option<String>,
    usable: TrialAvailability,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialAvailability {
    Yes,
    AfterLogIn,
    WithKey,
    /// The user's role may not make calls.
    NotInRole,
}

impl Form {
    fn new(reference: &Reference, reader: Option<&SignedIn>, values: Values) -> Form {
        let usable = match (availability(reference.operation), reader) {
            (Availability::WithKey, _) => TrialAvailability::WithKey,
            (_, Some(signed_in)) if !signed_in.may(Permission::MakeCalls) => {
                TrialAvailability::NotInRole
            }
            (Availability::SignedIn, None) => TrialAvailability::AfterLogIn,
            _ => TrialAvailability::Yes,
        };
        Form {
            values,
            token: reader.map(SignedIn::form_token).unwrap_or_default(),
            account: reader.map(|signed_in| signed_in.session.account.name.clone()),
            usable,
        }
    }
}

impl ReferenceTemplate<'_> {
    /// HTML.
    fn price_note(&self) -> String {
        inline(&self.reference.price.note)
    }

    /// The parameters that a call needs, or that the example has.
    fn first_parameters(&self) -> Vec<&Parameter> {
        let shown = self.reference.parameters.iter().filter(|it| it.place != "header");
        shown.filter(|it| it.required || !it.example.is_empty()).collect()
    }

    fn further_parameters(&self) -> Vec<&Parameter> {
        let shown = self.reference.parameters.iter().filter(|it| it.place != "header");
        shown.filter(|it| !it.required && it.example.is_empty()).collect()
    }

    /// Whether one of the further parameters was sent.
    fn uses_further(&self) -> bool {
        self.further_parameters().iter().any(|it| !self.form.values.get(&it.name).is_empty())
    }

    fn usable(&self) -> bool {
        self.form.usable == TrialAvailability::Yes
    }

    fn after_log_in(&self) -> bool {
        self.form.usable == TrialAvailability::AfterLogIn
    }

    fn with_key(&self) -> bool {
        self.form.usable == TrialAvailability::WithKey
    }
}

/// The page of an operation.
pub async fn show(
    State(app): State<Arc<App>>,
    Extension(docs): Extension<Arc<Docs>>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, PageError> {
    let mut parts = request.into_parts().0;
    let signed_in = session(&mut parts, &app).await;
    let (reader, content) = (Reader::new(&parts), docs.content());
    let reference = find(content, &id)?;
    let form = Form::new(reference, signed_in.as_ref(), Values::example(reference));
    let layout = Layout::new(content, &reader, reference.id);
    let page = ReferenceTemplate { layout, reference, form, trial: None, problem: None };
    Ok(reader.respond(&page))
}

/// Sends the call and shows its response on the page.
pub async fn send_form(
    State(app): State<Arc<App>>,
    Extension(docs): Extension<Arc<Docs>>,
    Extension(calls): Extension<ApiCalls>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, PageError> {
    let (mut parts, body) = request.into_parts();
    let (signed_in, anonymous) =
        (session(&mut parts, &app).await, Anonymous::from_request_parts(&mut parts, &app).await?);
    let bytes = to_bytes(body, MAX_FORM_BYTES).await;
    let bytes = bytes.map_err(|_| PageError::too_large(MAX_FORM_BYTES))?;
    let sent: Vec<(String, String)> =
        serde_html_form::from_bytes(&bytes).map_err(PageError::bad_form)?;
    let token = sent.iter().find(|(name, _)| name == "form_token").map_or("", |(_, value)| value);
    if signed_in.as_ref().is_some_and(|signed_in| !verify_csrf_token(signed_in, token)) {
        return Err(PageError::csrf_failed());
    }
    let (reader, content) = (Reader::new(&parts), docs.content());
    let reference = find(content, &id)?;
    let form = Form::new(reference, signed_in.as_ref(), Values::sent(reference, &sent));
    if form.usable != TrialAvailability::Yes {
        let sentence = "This operation cannot be tried here. Log in, or call it with a key.";
        return Err(PageError::switched_off(sentence));
    }
    let mut outcome = (None, None);
    match form.values.missing(reference) {
        Some(name) => outcome.1 = Some(format!("Enter a value for {name}.")),
        None => {
            let context = &anonymous.context;
            if let Some(seconds) = app.limits.count_trial(context.address) {
                return Err(PageError::too_many(seconds));
            }
            let call = (reference, &form.values);
            outcome.0 = Some(send(&app, &calls, context, signed_in.as_ref(), call).await?);
        }
    }
    let layout = Layout::new(content, &reader, reference.id);
    let (trial, problem) = outcome;
    let page = ReferenceTemplate { layout, reference, form, trial, problem };
    Ok(reader.respond(&page))
}

/// The session of the reader, if there is one. The documentation is readable without the ledger.
async fn session(parts: &mut http::request::Parts, app: &Arc<App>) -> Option<SignedIn> {
    SignedIn::from_request_parts(parts, app).await.ok()
}

fn find<'a>(content: &'a Content, id: &str) -> Result<&'a Reference, PageError> {
    content.operation(id).ok_or_else(|| PageError::not_found("This page does not exist."))
}
