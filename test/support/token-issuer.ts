import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** An OpenID Connect issuer that signs any claims, wrong ones included. */
export interface TokenIssuer {
  readonly issuer: string
  /** Signs with the current key. `at` is the time of issue. */
  sign(claims: JWTPayload, at: Date): Promise<string>
  /** Replaces the key. Tokens of the former key are invalid then. */
  rotate(): Promise<void>
  /** The public keys, as the issuer publishes them. */
  keys(): readonly object[]
  /** How often the keys were read. */
  reads(): number
  /** Stops or resumes answering. */
  setReachable(isReachable: boolean): void
  close(): Promise<void>
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  let current = await newKey(1)
  let count = 1
  let reads = 0
  let isReachable = true
  const server = createServer((request, response) => {
    if (!isReachable) return void response.destroy()
    const body = request.url === '/keys' ? { keys: [current.jwk] } : metadata(issuer)
    if (request.url === '/keys') reads += 1
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    sign: (claims, at) => {
      const iat = Math.floor(at.getTime() / 1_000)
      return new SignJWT({ iss: issuer, iat, exp: iat + 600, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: current.kid })
        .sign(current.privateKey)
    },
    rotate: async () => {
      count += 1
      current = await newKey(count)
    },
    keys: () => [current.jwk],
    reads: () => reads,
    setReachable: (reachable) => {
      isReachable = reachable
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function newKey(count: number) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = `key ${count}`
  return {
    kid,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
  }
}

function metadata(issuer: string): object {
  return {
    issuer,
    jwks_uri: `${issuer}/keys`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
}
