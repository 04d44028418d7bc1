import { type JsonSchema, arraySchema, objectOf, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { pathParameter, queryParameter } from './parameters.ts'
import { answer, failures, redirects } from './responses.ts'

export const SIGN_IN_TAGS = ['Sign-in']

const IDENTITY: Readonly<Record<string, JsonSchema>> = {
  id: TEXT,
  provider: TEXT,
  createdAt: { ...TEXT, format: 'date-time' },
}

export const IDENTITY_OPERATIONS: readonly PlacedOperation[] = [
  {
    path: '/api/auth/identities',
    method: 'get',
    operation: {
      operationId: 'auth_identities',
      summary: 'List the identities that sign in the user',
      tags: SIGN_IN_TAGS,
      responses: {
        200: answer(
          'At most 100 identities, oldest first',
          objectOf({ data: arraySchema(objectOf(IDENTITY, Object.keys(IDENTITY))) }, ['data']),
        ),
        ...failures(429),
      },
    },
  },
  {
    path: '/api/auth/identities/:id',
    method: 'delete',
    operation: {
      operationId: 'auth_unlinkIdentity',
      summary: 'Remove an identity of the user',
      tags: SIGN_IN_TAGS,
      parameters: [pathParameter('id', TEXT)],
      responses: { 204: { description: 'The identity is removed' }, ...failures(404, 429) },
    },
  },
]

export const ACCOUNT_DELETION: PlacedOperation = {
  path: '/api/users/me',
  method: 'delete',
  operation: {
    operationId: 'users_deleteMe',
    summary: 'Delete the user of the JWT after a recent sign-in',
    tags: ['Users'],
    responses: { 204: { description: 'The user is deleted' }, ...failures(429) },
  },
}

const FLAG_TEXT = { ...TEXT, enum: ['true', 'false'] }

const PROVIDER = pathParameter('provider', TEXT)
const REDIRECTS = { 302: redirects('Redirects the browser'), ...failures(404, 429) }

export const CONNECT_OPERATIONS: readonly PlacedOperation[] = [
  {
    path: '/api/connect/:provider',
    method: 'get',
    operation: {
      operationId: 'auth_connect',
      summary: 'Send a browser to a provider',
      tags: SIGN_IN_TAGS,
      parameters: [
        PROVIDER,
        queryParameter('callback', TEXT, 'One of the configured pages'),
        queryParameter('code_challenge', TEXT, 'The SHA-256 of `code_verifier` in base64url'),
        queryParameter('code_challenge_method', { ...TEXT, enum: ['S256'] }),
        queryParameter('anonymous', FLAG_TEXT, 'An anonymous user may get the identity'),
      ],
      responses: REDIRECTS,
    },
  },
  {
    path: '/api/connect/:provider/callback',
    method: 'get',
    operation: {
      operationId: 'auth_connected',
      summary: 'The return of the browser from the provider',
      tags: SIGN_IN_TAGS,
      parameters: [PROVIDER],
      responses: REDIRECTS,
    },
  },
  {
    path: '/api/connect/:provider/callback',
    method: 'post',
    operation: {
      operationId: 'auth_connectedByForm',
      summary: 'The return of the browser from a provider that sends a form',
      tags: SIGN_IN_TAGS,
      parameters: [PROVIDER],
      responses: { ...REDIRECTS, ...failures(404, 413, 429) },
    },
  },
]

export function exchangeOfRedirect(signedIn: JsonSchema): PlacedOperation {
  return {
    path: '/api/auth/:provider/callback',
    method: 'get',
    operation: {
      operationId: 'auth_provider',
      summary: 'Sign in with the code that a redirect has brought',
      tags: SIGN_IN_TAGS,
      parameters: [
        PROVIDER,
        queryParameter('access_token', TEXT, 'The code of the redirect'),
        queryParameter('code_verifier', TEXT, 'Absent if the redirect set a cookie'),
        queryParameter('merge', FLAG_TEXT, 'Moves the content of an anonymous user'),
      ],
      responses: { 200: answer('As asked', signedIn), ...failures(404, 409, 429) },
    },
  }
}
