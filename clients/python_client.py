"""Calls the program through the client that openapi-python-client made of its description."""

import datetime
import os

from panji import AuthenticatedClient
from panji.api.bulk import bulk_enrich, bulk_verify
from panji.api.companies import get_company, search_companies
from panji.api.verification import verify_pan
from panji.models import (
    BulkEnrichRequest,
    BulkEnrichRequestFieldsItem as Field,
    BulkEnrichResponse,
    BulkVerifyCinResult,
    BulkVerifyGstinResult,
    BulkVerifyItem,
    BulkVerifyRequest,
    BulkVerifyResponse,
    BulkVerifyUnknownResult,
    DryRunResponse,
    ErrorEnvelope,
    GetCompanyResponse,
    IdentifierType,
    KnownCompanyStatus,
    KnownErrorCode,
    KnownHolderType,
    SearchCompaniesResponse,
    VerifyPanResponse,
)
from panji.types import Unset

CIN = "L17111MH1994PLC990011"
UNKNOWN_CIN = "U17111MH1994PTC999999"

client = AuthenticatedClient(
    base_url=os.environ["PANJI_ADDRESS"],
    token=os.environ["PANJI_KEY"],
    raise_on_unexpected_status=True,
    timeout=120,
)


def search():
    found = search_companies.sync(client=client, q="kalpanik ind", limit=2)
    assert isinstance(found, SearchCompaniesResponse), found
    assert found.success and found.request_id.startswith("req_")
    assert found.data.total >= 1 and len(found.data.companies) >= 1
    assert isinstance(found.data.companies[0].status, KnownCompanyStatus)


def company():
    response = get_company.sync_detailed(client=client, cin=CIN, idempotency_key="python 1")
    assert response.headers["Request-Id"] and response.headers["RateLimit"]
    company = response.parsed
    assert isinstance(company, GetCompanyResponse), company
    assert company.data.cin == CIN and company.data.status == "active"
    assert isinstance(company.data.incorporated_on, datetime.date)
    assert company.data.registered_office.state == "Maharashtra"


def verdict():
    verdict = verify_pan.sync(client=client, pan="ZZACK4368A")
    assert isinstance(verdict, VerifyPanResponse), verdict
    assert verdict.credits_charged == 1 and verdict.data.valid
    assert verdict.data.parsed and verdict.data.parsed.holder_type == KnownHolderType.COMPANY


def verdicts():
    body = BulkVerifyRequest(
        items=[
            BulkVerifyItem(value="27ZZACK4368A1ZP", type_=IdentifierType.GSTIN, ref="first"),
            BulkVerifyItem(value=CIN),
            BulkVerifyItem(value="what is this"),
        ]
    )
    price = bulk_verify.sync(client=client, body=body, dry_run=True)
    assert isinstance(price, DryRunResponse) and price.data.credits_ == 2, price
    response = bulk_verify.sync(client=client, body=body)
    assert isinstance(response, BulkVerifyResponse) and response.credits_charged == 2, response
    gstin, cin, unknown = response.data.results
    assert isinstance(gstin, BulkVerifyGstinResult) and gstin.ref == "first"
    assert gstin.result.check_digit_valid
    assert isinstance(cin, BulkVerifyCinResult) and cin.result.cin == CIN
    assert isinstance(unknown, BulkVerifyUnknownResult)
    assert unknown.error.code == KnownErrorCode.INVALID_IDENTIFIER


def sections():
    sections = [
        Field.COMPANY,
        Field.PAN,
        Field.CAPITAL,
        Field.DIRECTORS,
        Field.CHARGES,
        Field.FINANCIALS,
        Field.COMPLIANCE,
        Field.DOCUMENTS,
    ]
    body = BulkEnrichRequest(cins=[CIN, UNKNOWN_CIN], fields=sections)
    response = bulk_enrich.sync(client=client, body=body)
    assert isinstance(response, BulkEnrichResponse), response
    found, unknown = response.data.results
    assert found.company and found.company.name and found.capital and found.capital.currency == "INR"
    assert found.directors and found.directors.current[0].din
    assert found.financials and found.financials.years[0].ratios
    for section in sections:
        assert type(getattr(found, section)).__name__ == f"{section.capitalize()}Section", section
        assert getattr(unknown, section) is None, section
    assert unknown.error and unknown.error.code == KnownErrorCode.COMPANY_NOT_FOUND
    body = BulkEnrichRequest(cins=[CIN], fields=[Field.COMPANY_NAME])
    response = bulk_enrich.sync(client=client, body=body)
    assert isinstance(response, BulkEnrichResponse), response
    part = response.data.results[0]
    assert part.company and isinstance(part.company.name, str)
    assert isinstance(part.company.status, Unset) and isinstance(part.pan, Unset)


def error():
    response = get_company.sync_detailed(client=client, cin=UNKNOWN_CIN)
    assert response.status_code == 404 and response.headers["Request-Id"]
    failure = response.parsed
    assert isinstance(failure, ErrorEnvelope), failure
    assert not failure.success and failure.credits_charged == 0 and failure.data is None
    assert failure.error.code == KnownErrorCode.COMPANY_NOT_FOUND and failure.error.param == "cin"
    stranger = AuthenticatedClient(base_url=os.environ["PANJI_ADDRESS"], token="nobody", timeout=120)
    failure = get_company.sync(client=stranger, cin=CIN)
    assert isinstance(failure, ErrorEnvelope) and failure.credits_remaining is None, failure


for call in (search, company, verdict, verdicts, sections, error):
    call()
    print(f"{call.__name__}: as described")
