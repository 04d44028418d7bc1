import { CONTENT_TYPES as DEAR_TYPES } from './expensive-requests.ts'
import { pushed } from './push-world.ts'
import { declare } from './server.ts'

/** Part of every hidden text and of no visible text. */
export const CANARY = 'canaryKestrel'

const secretRelation = { type: 'relation', relation: 'manyToMany', target: 'api::secret.secret' }
const { node, shelf, book } = DEAR_TYPES as Record<'node' | 'shelf' | 'book', object>

function withHidden(declaration: object): object {
  const { attributes } = declaration as { readonly attributes: object }
  const hidden = { hidden: { type: 'string', private: true }, vault: secretRelation }
  return { ...declaration, attributes: { ...attributes, ...hidden } }
}

function withSearch(declaration: object, search: object): object {
  const { options } = declaration as { readonly options?: object }
  return { ...declaration, options: { ...options, search } }
}

/**
 * The types of the expensive requests, each with a hidden attribute, and one type per kind of
 * hiding.
 */
export const CONTENT_TYPES: Readonly<Record<string, object>> = {
  node: withHidden(withSearch(node, { name: 1 })),
  shelf: withHidden(shelf),
  book: withHidden(book),
  secret: declare('secret', { name: { type: 'string' } }, { search: { name: 1 } }),
  note: pushed(
    declare(
      'note',
      {
        code: { type: 'string', unique: true },
        text: { type: 'string', maxLength: 200 },
        number: { type: 'integer' },
        data: { type: 'json' },
        hidden: { type: 'string', private: true },
        vault: secretRelation,
        nodes: { type: 'relation', relation: 'manyToMany', target: 'api::node.node' },
      },
      { localized: true, search: { text: 1, code: 2 } },
    ),
    { draftAndPublish: true },
  ),
  'queries/by-name': {
    type: 'node',
    parameters: {
      name: { type: 'string' },
      number: { type: 'integer', default: 1 },
      names: { type: 'string', list: true },
      page: { type: 'integer', default: 1 },
    },
    filters: {
      name: { $contains: { $param: 'name' }, $in: { $param: 'names' } },
      number: { $gte: { $param: 'number' } },
    },
    populate: { links: { fields: ['name'] } },
    pagination: { page: { $param: 'page' }, pageSize: 20 },
  },
  'queries/groups': {
    type: 'note',
    parameters: { number: { type: 'integer' }, names: { type: 'string', list: true } },
    filters: { number: { $gte: { $param: 'number' } }, text: { $in: { $param: 'names' } } },
    aggregate: {
      groupBy: ['nodes', 'createdAt:month'],
      count: true,
      avg: ['number'],
      max: ['number', 'updatedAt'],
    },
  },
  'queries/notes': { type: 'note', fields: ['text'], populate: { nodes: { fields: ['name'] } } },
}
