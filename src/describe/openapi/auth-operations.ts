import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import { USER } from '../../people/accounts/users.ts'
import { addedAttributes } from '../../schema/built-in-types.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { entrySchema } from './entry-schemas.ts'
import { attributeInputs } from './input-schemas.ts'
import { FLAG, type JsonSchema, arraySchema, objectOf, orNull, TEXT } from './json-schema.ts'
import type { Operation, PlacedOperation } from './operation.ts'
import { pathParameter, queryParameter } from './parameters.ts'
import { answer, failures, jsonBody, redirects } from './responses.ts'
import {
  CONNECT_OPERATIONS,
  exchangeOfRedirect,
  ACCOUNT_DELETION,
  IDENTITY_OPERATIONS,
  SIGN_IN_TAGS as TAGS,
} from './provider-operations.ts'
import type { Vocabulary } from './vocabulary.ts'

const PASSWORD = { ...TEXT, format: 'password' }
const NEW_PASSWORD = { ...PASSWORD, minLength: 6 }
const EMAIL = { ...TEXT, format: 'email', maxLength: 255 }
const DONE = objectOf({ ok: { type: 'boolean', const: true } }, ['ok'])

export interface SignInRules {
  readonly refresh: boolean
  readonly registerFields: readonly string[]
  readonly anonymous?: boolean
}

interface AuthDescription {
  readonly vocabulary: Vocabulary
  readonly rules: SignInRules
}

interface Exchange {
  readonly path: string
  readonly verb: PluginVerb<'plugin::users-permissions.auth'>
  readonly summary: string
  readonly body: JsonSchema | null
  readonly example?: object
  /** Default: derived from the verb. */
  readonly operationId?: string
  readonly parameters?: Operation['parameters']
  readonly answers: (place: AuthDescription) => JsonSchema
  /** Whether another account can have the address or the identity. */
  readonly conflicts?: true
}

const EXCHANGES: readonly [Exchange, ...Exchange[]] = [
  {
    path: '/local',
    verb: 'callback',
    summary: 'Sign in',
    body: open({ identifier: TEXT, password: PASSWORD, deviceId: TEXT }, 'identifier', 'password'),
    example: { identifier: 'marie@example.org', password: 'correct horse' },
    answers: signedIn,
  },
  {
    path: '/forgot-password',
    verb: 'forgotPassword',
    summary: 'Mail a code to reset the password if the account exists',
    body: open({ email: TEXT }, 'email'),
    answers: () => DONE,
  },
  {
    path: '/reset-password',
    verb: 'resetPassword',
    summary: 'Set a new password with the mailed code and sign in',
    body: open(
      { code: TEXT, password: NEW_PASSWORD, passwordConfirmation: NEW_PASSWORD, deviceId: TEXT },
      'code',
      'password',
      'passwordConfirmation',
    ),
    answers: signedIn,
  },
  {
    path: '/change-password',
    verb: 'changePassword',
    summary: 'Change the password with the current one; other tokens of the user expire',
    body: open(
      {
        currentPassword: PASSWORD,
        password: NEW_PASSWORD,
        passwordConfirmation: NEW_PASSWORD,
        deviceId: TEXT,
      },
      'currentPassword',
      'password',
      'passwordConfirmation',
    ),
    answers: signedIn,
  },
  {
    path: '/send-email-confirmation',
    verb: 'sendEmailConfirmation',
    summary: 'Mail the confirmation link for an address again',
    body: open({ email: TEXT }, 'email'),
    answers: () => objectOf({ email: TEXT, sent: { type: 'boolean' } }, ['email', 'sent']),
  },
  {
    path: '/logout',
    verb: 'logout',
    summary: 'End the current session, the session of one device, or all sessions of the user',
    body: open({ deviceId: TEXT, scope: { ...TEXT, enum: ['current', 'all'] } }),
    answers: () => DONE,
  },
  {
    path: '/code',
    verb: 'callback',
    operationId: 'auth_sendCode',
    summary: 'Mail a code to sign in',
    body: open({ email: EMAIL }, 'email'),
    answers: () => DONE,
  },
  {
    path: '/code/verify',
    verb: 'callback',
    operationId: 'auth_verifyCode',
    summary: 'Sign in with the mailed code; the first sign-in creates the account',
    body: open({ email: EMAIL, code: TEXT, deviceId: TEXT }, 'email', 'code'),
    answers: signedIn,
  },
  {
    path: '/:provider/token',
    verb: 'connect',
    operationId: 'auth_token',
    summary: 'Sign in with the ID token of a provider; the first sign-in creates the account',
    body: open({ idToken: TEXT, nonce: TEXT, name: TEXT, deviceId: TEXT, merge: FLAG }, 'idToken'),
    parameters: [pathParameter('provider', TEXT)],
    answers: signedIn,
    conflicts: true,
  },
  {
    path: '/:provider/link',
    verb: 'changePassword',
    operationId: 'auth_linkIdentity',
    summary: 'Let an identity of a provider sign in the current user',
    body: open({ idToken: TEXT, nonce: TEXT }, 'idToken'),
    parameters: [pathParameter('provider', TEXT)],
    answers: () => DONE,
    conflicts: true,
  },
]

const REFRESH: Exchange = {
  path: '/refresh',
  verb: 'refresh',
  summary: 'Exchange a single-use refresh token for a new JWT',
  body: open({ refreshToken: TEXT }),
  answers: () => objectOf({ jwt: TEXT, refreshToken: TEXT }, ['jwt']),
}

const ANONYMOUS: Exchange = {
  path: '/anonymous',
  verb: 'register',
  operationId: 'auth_anonymous',
  summary: 'Sign in a new anonymous user',
  body: open({ deviceId: TEXT }),
  answers: signedIn,
}

function registration({ vocabulary, rules: { registerFields } }: AuthDescription): Exchange {
  const plan = userPlan(vocabulary)
  const set = addedAttributes(plan).filter(({ name }) => registerFields.includes(name))
  const { properties, required } = attributeInputs(vocabulary, plan, set)
  const account = {
    username: { ...TEXT, minLength: 3, maxLength: 255 },
    email: EMAIL,
    password: NEW_PASSWORD,
    deviceId: TEXT,
  }
  const example = { username: 'marie', email: 'marie@example.org', password: 'correct horse' }
  return {
    path: '/local/register',
    verb: 'register',
    summary: 'Register an account and sign in',
    body: objectOf({ ...account, ...properties }, ['username', 'email', 'password', ...required]),
    ...(required.length === 0 && { example }),
    answers: signedIn,
  }
}

export function authOperations(
  vocabulary: Vocabulary,
  rules: SignInRules,
): readonly PlacedOperation[] {
  const may = (verb: Exchange['verb']): boolean =>
    vocabulary.may(pluginAction('plugin::users-permissions.auth', verb))
  const [signIn, ...others] = EXCHANGES
  const exchanges = [
    signIn,
    registration({ vocabulary, rules }),
    ...others,
    ...(rules.refresh ? [REFRESH] : []),
    ...(rules.anonymous === true ? [ANONYMOUS] : []),
  ]
  const permitted = exchanges.filter(({ verb }) => may(verb))
  return [
    ...permitted.map((exchange) => placed(exchange, { vocabulary, rules })),
    ...(rules.refresh && may('logout') ? SESSION_OPERATIONS : []),
    ...(may('emailConfirmation') ? [CONFIRMATION] : []),
    ...(may('changePassword') ? [...IDENTITY_OPERATIONS, ACCOUNT_DELETION] : []),
    ...(may('callback') ? [exchangeOfRedirect(signedIn({ vocabulary, rules }))] : []),
    ...(may('connect') ? CONNECT_OPERATIONS : []),
  ]
}

const DATE = { ...TEXT, format: 'date-time' }
const SESSION: Readonly<Record<string, JsonSchema>> = {
  id: TEXT,
  deviceId: orNull(TEXT),
  createdAt: DATE,
  refreshedAt: DATE,
  expiresAt: DATE,
  current: FLAG,
}

const SESSION_OPERATIONS: readonly PlacedOperation[] = [
  {
    path: '/api/auth/sessions',
    method: 'get',
    operation: {
      operationId: 'auth_sessions',
      summary: 'List the sessions of the user',
      tags: TAGS,
      responses: {
        200: answer(
          'At most 100 sessions, most recently used first',
          objectOf({ data: arraySchema(objectOf(SESSION, Object.keys(SESSION))) }, ['data']),
        ),
        ...failures(),
      },
    },
  },
  {
    path: '/api/auth/sessions/:id',
    method: 'delete',
    operation: {
      operationId: 'auth_endSession',
      summary: 'End a session of the user',
      tags: TAGS,
      parameters: [pathParameter('id', TEXT)],
      responses: { 204: { description: 'The session has ended' }, ...failures(404) },
    },
  },
]

const CONFIRMATION: PlacedOperation = {
  path: '/api/auth/email-confirmation',
  method: 'get',
  operation: {
    operationId: 'auth_emailConfirmation',
    summary: 'Confirm an email address with the mailed link',
    tags: TAGS,
    parameters: [queryParameter('confirmation', TEXT, 'The code in the mailed link')],
    responses: {
      204: { description: 'The address is confirmed' },
      302: redirects('The address is confirmed; redirects to the configured page'),
      ...failures(404, 429),
    },
  },
}

function placed(
  { path, verb, operationId, summary, body, example, parameters, answers, conflicts }: Exchange,
  place: AuthDescription,
): PlacedOperation {
  return {
    path: `/api/auth${path}`,
    method: 'post',
    operation: {
      operationId: operationId ?? `auth_${verb}`,
      summary,
      tags: TAGS,
      ...(parameters !== undefined && { parameters }),
      ...(body !== null && {
        requestBody: { ...jsonBody(body, example), required: 'required' in body },
      }),
      responses: {
        200: answer('As asked', answers(place)),
        ...failures(404, 413, 429),
        ...(conflicts && failures(409)),
      },
    },
  }
}

function open(
  properties: Readonly<Record<string, JsonSchema>>,
  ...required: readonly string[]
): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

function userPlan({ schema }: Vocabulary): ContentTypePlan {
  const plan = schema.contentTypes.get(USER)
  if (plan === undefined) throw new Error('there are no users')
  return plan
}

function signedIn({ vocabulary, rules: { refresh } }: AuthDescription): JsonSchema {
  const user = entrySchema(vocabulary, userPlan(vocabulary))
  return vocabulary.refer('SignedIn', () =>
    objectOf(
      {
        jwt: {
          ...TEXT,
          description:
            'The token for `Authorization: Bearer`; absent until the address is confirmed',
        },
        ...(refresh && { refreshToken: TEXT }),
        user,
      },
      ['user'],
    ),
  )
}
