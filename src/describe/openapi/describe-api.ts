import type { RegisteredRoute } from '../../extensions/collect-routes.ts'
import type { Grants } from '../../people/access/principal.ts'
import type { Schema } from '../../schema/plan.ts'
import { authOperations, type SignInRules } from './auth-operations.ts'
import { bulkOperations } from './bulk-operation.ts'
import { pushOperations } from './push-operation.ts'
import { syncOperations } from './sync-operation.ts'
import { typesSearchOperations } from './types-search-operation.ts'
import { extensionOperations } from './extension-operations.ts'
import { contentOperations } from './content-operations.ts'
import { fileOperations, localeOperations } from './file-operations.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation, PlacedOperation } from './operation.ts'
import type { Bounds } from './read-parameters.ts'
import { failureComponents, withWrittenTime } from './responses.ts'
import { queryOperations } from './query-operations.ts'
import { roleOperations } from './role-operations.ts'
import { userOperations } from './user-operations.ts'
import { describedReader } from '../described-reader.ts'
import { openVocabulary, type Vocabulary } from './vocabulary.ts'

export interface ApiFacts extends Bounds, SignInRules {
  readonly schema: Schema
  readonly serverUrl: string
  readonly routes?: readonly RegisteredRoute[]
}

export interface ApiDescription {
  readonly openapi: string
  readonly info: object
  readonly servers: readonly object[]
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly securitySchemes: object
    readonly responses: Readonly<Record<string, object>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

export function describeApi(facts: ApiFacts, grants: Grants): ApiDescription {
  const seen = describedReader(facts.schema, grants)
  const vocabulary = openVocabulary(seen.schema, seen.grants)
  const operations = allOperations(vocabulary, facts)
  const names = new Set(operations.flatMap(({ operation }) => operation.tags))
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: facts.serverUrl }],
    tags: [...names].map((name) => ({ name, description: `Operations on ${name}` })),
    security: [{}, { bearer: [] }],
    paths: byPath(operations),
    components: {
      securitySchemes: { bearer: BEARER },
      responses: failureComponents(vocabulary, operations),
      schemas: Object.fromEntries(vocabulary.schemas),
    },
  }
}

const INFO = {
  title: 'Content API',
  version: '1.0.0',
  description:
    'All operations that the caller is permitted to use. The guide also describes filters without a parameter here (`$and`, `$or`, `$not`, paths through several relations) and the bracketed forms of `populate`.',
  license: { name: 'MIT', identifier: 'MIT' },
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API token, or the JWT of an end user',
}

function allOperations(vocabulary: Vocabulary, facts: ApiFacts): readonly PlacedOperation[] {
  const content = [...vocabulary.schema.contentTypes.values()].filter(({ uid }) =>
    uid.startsWith('api::'),
  )
  return [
    ...content.flatMap((plan) => contentOperations(vocabulary, plan, facts)),
    ...queryOperations(vocabulary, facts),
    ...bulkOperations(vocabulary, content),
    ...typesSearchOperations(vocabulary, content, facts),
    ...syncOperations(vocabulary, content),
    ...pushOperations(vocabulary, content),
    ...fileOperations(vocabulary, facts),
    ...localeOperations(vocabulary),
    ...authOperations(vocabulary, facts),
    ...userOperations(vocabulary, facts),
    ...roleOperations(vocabulary),
    ...extensionOperations(vocabulary, facts.routes ?? []),
  ]
}

function byPath(operations: readonly PlacedOperation[]): ApiDescription['paths'] {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { path, method, operation } of operations) {
    const address = path.replaceAll(/:(\w+)/g, '{$1}')
    const responses = method === 'get' ? operation.responses : withWrittenTime(operation.responses)
    paths[address] = { ...paths[address], [method]: { ...operation, responses } }
  }
  return paths
}
