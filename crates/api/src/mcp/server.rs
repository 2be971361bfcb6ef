//! The server side of the protocol: what it offers, and how a request becomes a call of the API.

use std::sync::{Arc, OnceLock};

use axum::http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::arguments::{ApiCall, look_up};
use super::calls::{ApiCalls, ApiResponse, CallError, context_of};
use super::confirmation::{Confirmation, confirm};
use super::tool_result::{ToolFailure, resource_text, tool_result};
use super::tools::ToolName;
use super::{definitions, kyb_check};
use crate::api::call::in_credits;
use crate::app::App;
use crate::config::operation::Operation;

const COMPANY_TEMPLATE: &str = "panji://company/{cin}";
const COMPANY_PREFIX: &str = "panji://company/";
/// How long clients may keep the lists of tools, prompts and resources.
const LIST_TTL_MS: u64 = 300_000;

const INSTRUCTIONS: &str = "Panji has data of Indian companies, LLPs, directors and GST registrations. \
A number identifies a company (CIN, LLPIN or FCRN): with a name alone, call find_company first. Each response \
has the source and the date (as_of) of its facts, and notes that say what is not known: unknown is not none \
and not zero, so say so. Calls cost credits, as each tool says; an error costs nothing. Prefer the cheapest \
section that answers the question, and do not repeat a call whose response you have.";

/// The server of one request; it keeps nothing between requests.
#[derive(Clone)]
pub struct McpServer {
    app: Arc<App>,
    calls: ApiCalls,
    /// Made at the first use: a process that no assistant calls need not make them.
    tools: Arc<OnceLock<Vec<Tool>>>,
}

impl McpServer {
    pub fn new(app: &Arc<App>, calls: ApiCalls) -> McpServer {
        McpServer { app: app.clone(), calls, tools: Arc::default() }
    }

    fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| definitions::tools(&self.app.config))
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = ToolName::from_name(&request.name) else {
            let names = ToolName::ALL.map(ToolName::as_str).join(", ");
            let message = format!("There is no such tool: there are {names}.");
            return Err(ErrorData::invalid_params(message, None));
        };
        let client = client_of(&context)?;
        let failure = |code: &str, message: String, param: Option<String>| ToolFailure {
            code: code.to_owned(),
            message,
            param,
            docs_url: None,
            request_id: context_of(client).map_or(String::new(), |own| own.request_id.to_string()),
        };
        let arguments = request.arguments.clone().unwrap_or_default();
        let call = match ApiCall::plan(tool, &arguments, &self.app.config.prices) {
            Ok(call) => call,
            Err(error) => {
                let failure = failure("invalid_parameter", error.message, Some(error.param));
                return Ok(failure.into_result().into());
            }
        };
        let limit = i64::from(self.app.config.mcp.confirm_above);
        match confirm(&request, &context, &call, limit) {
            Confirmation::Given => {}
            Confirmation::InputRequired(question) => return Ok(question.into()),
            Confirmation::Missing(message) => {
                let failure = failure("confirmation_required", message, None);
                return Ok(failure.into_result().into());
            }
        }
        let subject = subject(call.operation);
        let response = self.make(&context, client, call).await?;
        Ok(tool_result(response, subject).into())
    }

    async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let unknown = |message: &str| ErrorData::resource_not_found(message.to_owned(), None);
        let cin = request.uri.strip_prefix(COMPANY_PREFIX).filter(|cin| !cin.is_empty());
        let cin = cin
            .ok_or_else(|| unknown("There is no such resource: there is panji://company/{cin}."))?;
        let call =
            look_up(Operation::GetCompany, "cin", cin).map_err(|error| unknown(&error.message))?;
        let subject = subject(call.operation);
        let response = self.make(&context, client_of(&context)?, call).await?;
        let text = resource_text(response, subject)?;
        let contents =
            ResourceContents::text(text, request.uri.clone()).with_mime_type("application/json");
        // Reading costs credits and the balance is in the response: nobody else may have it.
        let result = ReadResourceResult::new(vec![contents]).with_cache_scope(CacheScope::Private);
        Ok(result.into())
    }

    /// Makes a call, and drops it if the client disconnects: before its charge it then costs nothing,
    /// as a call of the API.
    async fn make(
        &self,
        context: &RequestContext<RoleServer>,
        client: &Parts,
        call: ApiCall,
    ) -> Result<ApiResponse, ErrorData> {
        tokio::select! {
            biased;
            response = self.calls.make(client, call) => response.map_err(internal),
            () = context.ct.cancelled() => {
                Err(ErrorData::internal_error("The client has disconnected.", None))
            }
        }
    }

    fn company_template(&self) -> ResourceTemplate {
        let description = format!(
            "The identity of a company, LLP or foreign company, by its CIN, LLPIN or FCRN. Reading it costs \
             {}; nothing within the {} free calls a day.",
            in_credits(self.app.config.prices.of(Operation::GetCompany)),
            self.app.config.free_quota.calls_per_day
        );
        ResourceTemplate::new(COMPANY_TEMPLATE, "company")
            .with_title("Company")
            .with_description(description)
            .with_mime_type("application/json")
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let info = Implementation::new("panji", env!("CARGO_PKG_VERSION"))
            .with_title("Panji")
            .with_description("Indian company data")
            .with_website_url(self.app.public_url.clone());
        let instructions = format!(
            "{INSTRUCTIONS} A call that can cost more than {} needs a confirmation.",
            in_credits(self.app.config.mcp.confirm_above.into())
        );
        ServerConfig::new(capabilities).with_server_info(info).with_instructions(instructions)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools().to_vec()).with_ttl_ms(LIST_TTL_MS))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, context).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![self.company_template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates).with_ttl_ms(LIST_TTL_MS))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.read(request, context).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = vec![kyb_check::prompt()];
        Ok(ListPromptsResult::with_all_items(prompts).with_ttl_ms(LIST_TTL_MS))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        kyb_check::get(&request, &self.app.config.prices).map(Into::into)
    }
}

/// The HTTP request of an MCP request.
fn client_of(context: &RequestContext<RoleServer>) -> Result<&Parts, ErrorData> {
    context.extensions.get::<Parts>().ok_or_else(|| internal(CallError::NoContext))
}

/// The cause is for the log only.
fn internal(error: CallError) -> ErrorData {
    tracing::error!(%error, "an MCP request failed");
    ErrorData::internal_error("An internal error. Nothing was charged.", None)
}

/// What the notes call the data of an operation.
fn subject(operation: Operation) -> &'static str {
    match operation {
        Operation::GetCompany => "company",
        Operation::GetCompanyPan => "pan",
        Operation::GetCompanyProfile => "profile",
        Operation::GetCompanyFinancials => "financials",
        Operation::GetCompanyDirectors => "directors",
        Operation::GetCompanyCharges => "charges",
        Operation::GetCompanyCompliance => "compliance",
        Operation::ListCompanyDocuments => "documents",
        Operation::GetDirector => "director",
        Operation::ListDirectorCompanies => "companies of the director",
        _ => "response",
    }
}
