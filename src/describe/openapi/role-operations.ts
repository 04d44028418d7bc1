import {
  FLAG,
  INTEGER,
  type JsonSchema,
  arraySchema,
  objectOf,
  orNull,
  TEXT,
} from './json-schema.ts'
import {
  type GroupedOperation,
  type OperationGroup,
  permittedOperations,
  type PlacedOperation,
} from './operation.ts'
import { pathParameter } from './parameters.ts'
import { answer, failures, jsonBody } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

const ROLES: OperationGroup = {
  subject: 'plugin::users-permissions.role',
  path: '/api/users-permissions/roles',
  name: 'roles',
  tag: 'Roles',
}

const PERMISSIONS: OperationGroup = {
  subject: 'plugin::users-permissions.permissions',
  path: '/api/users-permissions/permissions',
  name: 'permissions',
  tag: 'Roles',
}

const ID = pathParameter('id', TEXT, 'Its numeric `id`')
const DONE = answer('Done', objectOf({ ok: { type: 'boolean', const: true } }, ['ok']))

export function roleOperations(vocabulary: Vocabulary): readonly PlacedOperation[] {
  return [
    ...permittedOperations(vocabulary, ROLES, [...readings(vocabulary), ...writings(vocabulary)]),
    ...permittedOperations(vocabulary, PERMISSIONS, [
      {
        verb: 'getPermissions',
        method: 'get',
        path: '',
        make: () => ({
          summary: 'All actions',
          responses: {
            200: answer(
              'All actions',
              objectOf({ permissions: permissionsSchema(vocabulary) }, ['permissions']),
            ),
            ...failures(),
          },
        }),
      },
    ]),
  ]
}

function readings(vocabulary: Vocabulary): readonly GroupedOperation[] {
  return [
    {
      verb: 'find',
      method: 'get',
      path: '',
      make: () => ({
        summary: 'List roles with their number of users',
        responses: {
          200: answer(
            'The roles',
            objectOf({ roles: arraySchema(roleSchema({ nb_users: INTEGER })) }, ['roles']),
          ),
          ...failures(),
        },
      }),
    },
    {
      verb: 'findOne',
      method: 'get',
      path: '/:id',
      make: () => ({
        summary: 'One role with its permissions',
        parameters: [ID],
        responses: {
          200: answer(
            'The role',
            objectOf(
              { role: roleSchema({ permissions: permissionsSchema(vocabulary), rules: RULES }) },
              ['role'],
            ),
          ),
          ...failures(404),
        },
      }),
    },
  ]
}

function writings(vocabulary: Vocabulary): readonly GroupedOperation[] {
  const requestBody = (): object => jsonBody(inputSchema(permissionsSchema(vocabulary)))
  const responses = { 200: DONE, ...failures(404, 413) }
  return [
    {
      verb: 'createRole',
      method: 'post',
      path: '',
      make: () => ({
        summary: 'Create a role; its permissions are limited to those of the caller',
        requestBody: requestBody(),
        responses,
      }),
    },
    {
      verb: 'updateRole',
      method: 'put',
      path: '/:id',
      make: () => ({
        summary: 'Change a role',
        parameters: [ID],
        requestBody: requestBody(),
        responses,
      }),
    },
    {
      verb: 'deleteRole',
      method: 'delete',
      path: '/:id',
      make: () => ({ summary: 'Delete a role without users', parameters: [ID], responses }),
    },
  ]
}

function permissionsSchema({ refer }: Vocabulary): JsonSchema {
  const verbs = {
    type: 'object',
    additionalProperties: objectOf({ enabled: FLAG, policy: TEXT }, ['enabled']),
  }
  const controllers = { type: 'object', additionalProperties: verbs }
  return refer('Permissions', () => ({
    type: 'object',
    additionalProperties: objectOf({ controllers }, ['controllers']),
  }))
}

/** Permissions under conditions. Their actions are not enabled in `permissions`. */
const RULES: JsonSchema = {
  type: 'array',
  items: objectOf(
    {
      action: TEXT,
      where: { type: 'object' },
      fields: { type: 'array', items: TEXT, minItems: 1, uniqueItems: true },
      set: { type: 'object', minProperties: 1 },
    },
    ['action'],
  ),
}

function roleSchema(more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const date = { ...TEXT, format: 'date-time' }
  const properties = {
    id: INTEGER,
    documentId: TEXT,
    name: TEXT,
    description: orNull(TEXT),
    type: TEXT,
    createdAt: date,
    updatedAt: date,
    publishedAt: date,
    ...more,
  }
  return objectOf(properties, Object.keys(properties))
}

function inputSchema(permissions: JsonSchema): JsonSchema {
  const given = { anyOf: [permissions, { type: 'array', maxItems: 0 }, { type: 'null' }] }
  return {
    type: 'object',
    minProperties: 1,
    properties: { name: TEXT, description: TEXT, type: TEXT, permissions: given, rules: RULES },
  }
}
