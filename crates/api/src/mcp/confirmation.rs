//! The confirmation of expensive calls. The server keeps no state: a client that can ask its user gets
//! a question as the response and repeats the call with the user's reply; another one repeats the call
//! with `max_credits`.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequests,
    InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::arguments::ApiCall;
use super::tools::MAX_CREDITS;
use crate::api::call::in_credits;

/// The name of the question, and of its field.
const QUESTION: &str = "confirm";

/// Whether an expensive call may be made.
pub enum Confirmation {
    Given,
    /// The client is asked to put a question to its user.
    InputRequired(InputRequiredResult),
    /// The sentence that refuses the call.
    Missing(String),
}

/// Decides about a call whose price is above the limit without a confirmation.
pub fn confirm(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    call: &ApiCall,
    limit: i64,
) -> Confirmation {
    let price = call.highest_price;
    if price <= limit {
        return Confirmation::Given;
    }
    if !can_ask(context) {
        let accepted = call.max_credits.is_some_and(|most| i128::from(most) >= i128::from(price));
        return match accepted {
            true => Confirmation::Given,
            false => Confirmation::Missing(format!(
                "The call can cost {}, and above {} a confirmation is needed. Ask the user; then repeat \
                 the call with {MAX_CREDITS} {price} to confirm.",
                in_credits(price),
                in_credits(limit)
            )),
        };
    }
    let state = state_of(call);
    match reply(request) {
        Some(reply) if request.request_state.as_ref() == Some(&state) => match reply {
            true => Confirmation::Given,
            false => Confirmation::Missing("The user did not confirm the price.".to_owned()),
        },
        _ => Confirmation::InputRequired(question(call, state)),
    }
}

/// Whether the client can put a question to its user. Before 2026-07-28 that needs a session.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let recent = context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    let capabilities = context.client_capabilities().filter(|_| recent);
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // Without a mode, forms are meant.
    elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// Identifies the call and its price: a reply counts for the call that was asked about.
fn state_of(call: &ApiCall) -> String {
    let parts = format!(
        "{}\n{}\n{}\n{}",
        call.operation.id(),
        call.address,
        call.body.as_deref().unwrap_or_default(),
        call.highest_price
    );
    Sha256::digest(parts).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The user's reply; none if there is none or it cannot be read.
fn reply(request: &CallToolRequestParams) -> Option<bool> {
    let reply = request.input_responses.as_ref()?.get(QUESTION)?;
    let reply: ElicitResult = serde_json::from_value(reply.clone()).ok()?;
    let confirmed = reply.content.is_some_and(|content| content[QUESTION] == true);
    Some(reply.action == ElicitationAction::Accept && confirmed)
}

fn question(call: &ApiCall, state: String) -> InputRequiredResult {
    let price = in_credits(call.highest_price);
    let request: Result<InputRequest, _> = serde_json::from_value(json!({
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": format!("This call of Panji can cost up to {price}. Make it?"),
            "requestedSchema": {
                "type": "object",
                "properties": {
                    QUESTION: {
                        "type": "boolean",
                        "title": format!("Spend up to {price}"),
                    },
                },
                "required": [QUESTION],
            },
        },
    }));
    let request = request.expect("the question is a well-formed elicitation");
    let questions = InputRequests::from([(QUESTION.to_owned(), request)]);
    InputRequiredResult::new(Some(questions), Some(state))
}
