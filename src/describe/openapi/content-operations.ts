import type { ContentVerb } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { entrySchema } from './entry-schemas.ts'
import { exampleOf } from './examples.ts'
import { createSchema, inputSchema } from './input-schemas.ts'
import { type JsonSchema, arraySchema, objectOf, TEXT } from './json-schema.ts'
import { listMeta } from './list-meta.ts'
import { AT_A_TIME, scheduleSchema } from './schedule-schemas.ts'
import type { PlacedOperation } from './operation.ts'
import { headerParameter, type Parameter, pathParameter } from './parameters.ts'
import {
  type Bounds,
  entryParameters,
  listParameters,
  shownParameters,
  localeParameter,
  writeParameters,
} from './read-parameters.ts'
import {
  answer,
  ENTITY_TAG,
  failures,
  IDEMPOTENCY_REPLAYED,
  jsonBody,
  NOT_MODIFIED,
} from './responses.ts'
import { permits, type Vocabulary } from './vocabulary.ts'

interface TypeDescription {
  readonly vocabulary: Vocabulary
  readonly plan: ContentTypePlan
  readonly bounds: Bounds
  readonly name: string
  readonly path: string
  readonly isSingle: boolean
}

export function contentOperations(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  bounds: Bounds,
): readonly PlacedOperation[] {
  const isSingle = plan.kind === 'singleType'
  const path = `/api/${isSingle ? plan.singularName : plan.pluralName}`
  const place = { vocabulary, plan, bounds, name: vocabulary.nameOf(plan.uid), path, isSingle }
  const permitted = (verb: ContentVerb, make: (place: TypeDescription) => PlacedOperation) =>
    permits(vocabulary, plan, verb) ? [make(place)] : []
  return [
    ...permitted('find', isSingle ? findOne : find),
    ...(isSingle ? [] : permitted('create', create)),
    ...(isSingle ? [] : permitted('findOne', findOne)),
    ...permitted('update', update),
    ...permitted('delete', remove),
    ...(plan.draftAndPublish
      ? [
          ...permitted('publish', (at) => act(at, 'publish', 'Publish the draft')),
          ...permitted('publish', (at) => act(at, 'unpublish', 'Unpublish')),
          ...permitted('update', (at) => act(at, 'discard', 'Discard the changes of the draft')),
        ]
      : []),
  ]
}

const DOCUMENT_ID = pathParameter('documentId', { ...TEXT, minLength: 1 })
const IF_MATCH = headerParameter(
  'If-Match',
  'The `ETag` of the version that was read; 412 if it has changed',
)
export const READ_HEADERS = [
  headerParameter('If-None-Match', 'The `ETag` of a known version; 304 if it has not changed'),
  headerParameter('Quire-After', 'The read waits for the write whose response had this value'),
]
const IDEMPOTENCY_KEY = headerParameter(
  'Idempotency-Key',
  'A unique string of the client; a retry with the same key creates no second entry',
)

function find({ vocabulary, plan, bounds, name, path }: TypeDescription): PlacedOperation {
  const schema = vocabulary.refer(`${name}_List`, () =>
    objectOf(
      {
        data: arraySchema(entrySchema(vocabulary, plan)),
        meta: listMeta(vocabulary, plan),
      },
      ['data', 'meta'],
    ),
  )
  return {
    path,
    method: 'get',
    operation: {
      operationId: `${name}_find`,
      summary: `A page of ${plan.pluralName}`,
      tags: [name],
      parameters: [...listParameters(vocabulary, plan, bounds), ...READ_HEADERS],
      responses: {
        200: answer('A page', schema, ENTITY_TAG),
        304: NOT_MODIFIED,
        ...failures(501),
      },
    },
  }
}

function oneEntry({ vocabulary, plan, name }: TypeDescription): JsonSchema {
  return vocabulary.refer(`${name}_Entry`, () =>
    objectOf({ data: entrySchema(vocabulary, plan), meta: objectOf({}) }, ['data', 'meta']),
  )
}

/** A write may be permitted for an entry that the caller cannot read. */
function writtenEntry(place: TypeDescription): JsonSchema {
  const unreadable = place.vocabulary.refer('Unreadable_Entry', () =>
    objectOf({ data: objectOf({ documentId: TEXT }, ['documentId']), meta: objectOf({}) }, [
      'data',
      'meta',
    ]),
  )
  return { anyOf: [oneEntry(place), unreadable] }
}

function findOne(place: TypeDescription): PlacedOperation {
  const { vocabulary, plan, bounds, name, isSingle } = place
  return {
    path: addressOf(place),
    method: 'get',
    operation: {
      operationId: `${name}_findOne`,
      summary: isSingle ? `The ${plan.displayName}` : `One of ${plan.pluralName}`,
      tags: [name],
      parameters: [
        ...addressed(place),
        ...entryParameters(vocabulary, plan, bounds),
        ...READ_HEADERS,
      ],
      responses: {
        200: answer('The entry', oneEntry(place), ENTITY_TAG),
        304: NOT_MODIFIED,
        ...failures(404, 501),
      },
    },
  }
}

function create(place: TypeDescription): PlacedOperation {
  const { vocabulary, plan, bounds, name, path } = place
  const data = createSchema(vocabulary, plan)
  return {
    path,
    method: 'post',
    operation: {
      operationId: `${name}_create`,
      summary: `Create one of ${plan.pluralName}`,
      tags: [name],
      parameters: [...writeParameters(vocabulary, plan, bounds), IDEMPOTENCY_KEY],
      requestBody: bodyOf(data, plan),
      responses: {
        201: answer('The entry', writtenEntry(place), {
          ...ENTITY_TAG,
          ...IDEMPOTENCY_REPLAYED,
        }),
        ...failures(404, 409, 413, 422),
      },
    },
  }
}

function update(place: TypeDescription): PlacedOperation {
  const { vocabulary, plan, bounds, name, isSingle } = place
  const data = inputSchema(vocabulary, plan)
  return {
    path: addressOf(place),
    method: 'put',
    operation: {
      operationId: `${name}_update`,
      summary: isSingle ? `Change the ${plan.displayName}` : `Change one of ${plan.pluralName}`,
      tags: [name],
      parameters: [...addressed(place), ...writeParameters(vocabulary, plan, bounds), IF_MATCH],
      requestBody: bodyOf(data, plan),
      responses: {
        200: answer('The entry', writtenEntry(place), ENTITY_TAG),
        ...failures(404, 409, 412, 413),
      },
    },
  }
}

function bodyOf(data: JsonSchema, plan: ContentTypePlan): object {
  const example = exampleOf(plan)
  const schema = { type: 'object', properties: { data }, required: ['data'] }
  return jsonBody(schema, example === null ? undefined : { data: example })
}

function remove(place: TypeDescription): PlacedOperation {
  const { plan, bounds, name, isSingle } = place
  return {
    path: addressOf(place),
    method: 'delete',
    operation: {
      operationId: `${name}_delete`,
      summary: isSingle ? `Delete the ${plan.displayName}` : `Delete one of ${plan.pluralName}`,
      tags: [name],
      parameters: [
        ...addressed(place),
        ...(plan.localized
          ? [
              localeParameter(
                bounds.locales,
                ['*'],
                'The locale to delete; `*` deletes all locales',
              ),
            ]
          : []),
        IF_MATCH,
      ],
      responses: {
        204: { description: 'The document is deleted' },
        ...failures(404, 409, 412),
      },
    },
  }
}

function act(place: TypeDescription, verb: string, summary: string): PlacedOperation {
  const { vocabulary, plan, bounds, name } = place
  const isPlanned = verb !== 'discard'
  const several = objectOf(
    { data: arraySchema(entrySchema(vocabulary, plan)), meta: objectOf({}) },
    ['data', 'meta'],
  )
  return {
    path: `${addressOf(place)}/actions/${verb}`,
    method: 'post',
    operation: {
      operationId: `${name}_${verb}`,
      summary,
      tags: [name],
      parameters: [
        ...addressed(place),
        ...shownParameters(vocabulary, plan),
        ...(plan.localized
          ? [
              localeParameter(
                bounds.locales,
                ['*'],
                'The locale of the action; `*` selects all locales',
              ),
            ]
          : []),
        IF_MATCH,
      ],
      ...(isPlanned && {
        requestBody: { ...jsonBody(AT_A_TIME), required: false },
      }),
      responses: {
        ...(isPlanned && { 202: answer('Scheduled for that time', scheduleSchema(vocabulary)) }),
        200: answer(
          'The entry, or a list if the request selects several locales',
          plan.localized ? { anyOf: [writtenEntry(place), several] } : writtenEntry(place),
          ENTITY_TAG,
        ),
        ...failures(404, 409, 412, 413),
      },
    },
  }
}

function addressOf({ path, isSingle }: TypeDescription): string {
  return isSingle ? path : `${path}/:documentId`
}

function addressed({ isSingle }: TypeDescription): readonly Parameter[] {
  return isSingle ? [] : [DOCUMENT_ID]
}
