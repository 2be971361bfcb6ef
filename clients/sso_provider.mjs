// An identity provider for clients/sso_client.py: npm's oidc-provider, with its own pages to log in and to consent.
// ISSUER is its address, CALLBACK the program's, PEOPLE a file with the claims of each person, ALGORITHM its signatures.
// Its keys are new at each start.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { ISSUER, CALLBACK, PEOPLE, ALGORITHM, NODE_DIRECTORY } = process.env
const path = createRequire(join(NODE_DIRECTORY, 'package.json')).resolve('oidc-provider')
const { default: Provider } = await import(pathToFileURL(path))

const pairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}
const jwk = algorithm => ({ ...pairs[algorithm]().privateKey.export({ format: 'jwk' }), alg: algorithm, use: 'sig' })

const provider = new Provider(ISSUER, {
  // RS256 is required by the specification.
  jwks: { keys: [...new Set(['RS256', ALGORITHM])].map(jwk) },
  cookies: { keys: ['a key of the tests'] },
  clients: [
    {
      client_id: 'panji',
      client_secret: 'a secret: of the tests',
      redirect_uris: [CALLBACK],
      id_token_signed_response_alg: ALGORITHM,
    },
  ],
  pkce: { required: () => true },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, ...JSON.parse(readFileSync(PEOPLE, 'utf8'))[id] }),
  }),
})
const { hostname, port } = new URL(ISSUER)
provider.listen(Number(port), hostname)
