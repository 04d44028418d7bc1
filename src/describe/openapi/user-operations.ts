import { USER } from '../../people/accounts/users.ts'
import { addedAttributes } from '../../schema/built-in-types.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { entrySchema } from './entry-schemas.ts'
import { attributeInputs } from './input-schemas.ts'
import { filterParameters } from './filter-parameters.ts'
import { FLAG, INTEGER, type JsonSchema, arraySchema, TEXT } from './json-schema.ts'
import {
  type GroupedOperation,
  type Operation,
  type OperationGroup,
  permittedOperations,
  type PlacedOperation,
} from './operation.ts'
import { type Parameter, pathParameter, queryParameter } from './parameters.ts'
import { type Bounds, shownParameters, sortParameter } from './read-parameters.ts'
import { answer, failures, jsonBody, type Responses } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

const GROUP: OperationGroup = {
  subject: 'plugin::users-permissions.user',
  path: '/api/users',
  name: 'users',
  tag: 'Users',
}

const ID = pathParameter('id', TEXT, 'Its numeric `id`')

export function userOperations(vocabulary: Vocabulary, bounds: Bounds): readonly PlacedOperation[] {
  const plan = vocabulary.schema.contentTypes.get(USER)
  if (plan === undefined) throw new Error('there are no users')
  return permittedOperations(vocabulary, GROUP, [
    ...readings(vocabulary, plan, bounds),
    ...writings(vocabulary, plan),
  ])
}

function readings(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  { maxLimit }: Bounds,
): readonly GroupedOperation[] {
  const shown = shownParameters(vocabulary, plan)
  return [
    get('find', '', () => ({
      summary: 'List users, without an envelope',
      parameters: listParameters(vocabulary, plan, maxLimit),
      responses: {
        200: answer('The users', arraySchema(entrySchema(vocabulary, plan))),
        ...failures(),
      },
    })),
    get('me', '/me', () => ({
      summary: 'The user of the JWT',
      parameters: shown,
      responses: theUser(vocabulary, plan),
    })),
    get('count', '/count', () => ({
      summary: 'The number of users',
      parameters: filterParameters(vocabulary, plan),
      responses: { 200: answer('The number of users', INTEGER), ...failures() },
    })),
    get('findOne', '/:id', () => ({
      summary: 'One user',
      parameters: [ID, ...shown],
      responses: theUser(vocabulary, plan),
    })),
  ]
}

function get(verb: string, path: string, make: GroupedOperation['make']): GroupedOperation {
  return { verb, method: 'get', path, make }
}

function writings(vocabulary: Vocabulary, plan: ContentTypePlan): readonly GroupedOperation[] {
  const added = attributeInputs(vocabulary, plan, addedAttributes(plan))
  const required = ['username', 'email', 'password', 'role', ...added.required]
  return [
    {
      verb: 'create',
      method: 'post',
      path: '',
      make: (): Omit<Operation, 'operationId' | 'tags'> => ({
        summary: 'Create a user',
        requestBody: jsonBody(accountSchema(added.properties, required)),
        responses: {
          201: answer('The user', entrySchema(vocabulary, plan)),
          ...failures(404, 413),
        },
      }),
    },
    {
      verb: 'update',
      method: 'put',
      path: '/:id',
      make: () => ({
        summary: 'Change a user',
        parameters: [ID],
        requestBody: jsonBody(accountSchema(added.properties, [])),
        responses: { ...theUser(vocabulary, plan), ...failures(404, 413) },
      }),
    },
    {
      verb: 'destroy',
      method: 'delete',
      path: '/:id',
      make: () => ({
        summary: 'Delete a user',
        parameters: [ID],
        responses: theUser(vocabulary, plan),
      }),
    },
  ]
}

function theUser(vocabulary: Vocabulary, plan: ContentTypePlan): Responses {
  return { 200: answer('The user', entrySchema(vocabulary, plan)), ...failures(404) }
}

function listParameters(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  maxLimit: number,
): readonly Parameter[] {
  return [
    ...shownParameters(vocabulary, plan),
    sortParameter(vocabulary, plan),
    queryParameter('start', { type: 'integer', minimum: 0 }),
    queryParameter('limit', { type: 'integer', minimum: 1, maximum: maxLimit }),
    ...filterParameters(vocabulary, plan),
  ]
}

function accountSchema(
  added: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return {
    type: 'object',
    properties: {
      username: { ...TEXT, minLength: 3, maxLength: 255 },
      email: { ...TEXT, format: 'email', maxLength: 255 },
      password: { ...TEXT, format: 'password', minLength: 6 },
      role: { description: 'The `id` or `documentId` of the role' },
      confirmed: FLAG,
      blocked: FLAG,
      ...added,
    },
    ...(required.length > 0 && { required }),
  }
}
