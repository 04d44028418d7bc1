import { contentAction, contentVerbs, type ContentVerb } from '../../people/access/actions.ts'
import { assertMayUnderRule, mayUnderRule } from '../../people/access/ruled-reads.ts'
import type { Principal } from '../../people/access/principal.ts'
import {
  FLAG,
  INTEGER,
  type JsonSchema,
  objectOf,
  TEXT,
} from '../../describe/openapi/json-schema.ts'
import { PUBLICATION_FILTERS } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import { assertTypeWritable } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { Context } from '../router/state.ts'
import {
  assertKnownArguments,
  invalidArgument,
  type McpDependencies,
  type ToolCall,
} from './arguments.ts'
import { contentTypesOf, describeType, describeTypes } from './describe-type.ts'
import { find, get } from './read-tools.ts'
import { actionTool, actionNamed, createTool, deleteTool, updateTool } from './write-tools.ts'

interface Tool {
  readonly name: string
  readonly description: string
  readonly verbOf: ((plan: ContentTypePlan, args: Data) => ContentVerb) | null
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  readonly hints: object
  readonly run: (call: ToolCall) => Promise<object> | object
}

export interface DescribedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly annotations: object
}

const READS = { readOnlyHint: true, openWorldHint: false }
const CHANGES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
const DESTROYS = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }

const DOCUMENT_ID = { ...TEXT, description: 'Of the entry; left out for a single type' }
const LOCALE = { ...TEXT, description: 'A code that `describe` lists; the default one otherwise' }
const DATA = { type: 'object', description: 'By attribute, as `describe` has it for the type' }
const PUBLISH = { ...FLAG, default: false, description: 'Publish it too; otherwise it is a draft' }
const REVISION = {
  type: ['string', 'null'],
  description: 'As `get` or the last write gave it; null for a locale that there is not yet',
}
const STATUS = {
  ...TEXT,
  enum: ['draft', 'published'],
  description: 'Drafts unless told otherwise, to who may read them',
}
const READ_PROPERTIES = {
  fields: {
    type: 'array',
    items: TEXT,
    description: 'Attributes to show; all of them otherwise',
  },
  populate: {
    type: ['array', 'object', 'string'],
    description:
      'Relations, components, zones and media to show: names, "*", or an object of options',
  },
  locale: LOCALE,
  status: STATUS,
  publicationFilter: {
    ...TEXT,
    enum: [...PUBLICATION_FILTERS],
    description: 'Selects documents by how their draft and published versions relate',
  },
}

const TOOLS: readonly Tool[] = [
  {
    name: 'describe',
    description:
      'Without a type: the content-types, and what may be done with each. With one: the JSON Schemas of its entries and of `data` in writes, its relations, and what can be populated.',
    verbOf: null,
    properties: {},
    required: [],
    hints: READS,
    run: describeType,
  },
  {
    name: 'find',
    description: 'A page of entries of a collection type.',
    verbOf: () => 'find',
    properties: {
      filters: {
        type: 'object',
        description:
          'Such as {"title": {"$containsi": "alps"}, "category": {"slug": "maps"}}, with $eq, $ne, $in, $lt, $gt, $null, $and, $or, $not',
      },
      search: { ...TEXT, description: 'Text to look for in all text attributes' },
      rank: {
        type: ['string', 'object'],
        description:
          'Words to find in all their forms, the most relevant entries first; for types with the option search, without `sort`. Or such as {"query": "alps", "match": "all", "fields": ["title"], "highlights": ["body"], "facets": ["category"]}, where all words must match and facets count the values of all found entries',
      },
      sort: {
        type: ['array', 'string'],
        description: 'Such as "title:desc", or "at:near" with $near on at',
      },
      page: { ...INTEGER, minimum: 1, default: 1 },
      pageSize: { ...INTEGER, minimum: 1, default: 25 },
      ...READ_PROPERTIES,
    },
    required: ['type'],
    hints: READS,
    run: find,
  },
  {
    name: 'get',
    description: 'One entry, with the revision that `update` asks for.',
    verbOf: ({ kind }) => (kind === 'singleType' ? 'find' : 'findOne'),
    properties: { documentId: DOCUMENT_ID, ...READ_PROPERTIES },
    required: ['type'],
    hints: READS,
    run: get,
  },
  {
    name: 'create',
    description: 'Create an entry of a collection type.',
    verbOf: () => 'create',
    properties: { data: DATA, locale: LOCALE, publish: PUBLISH },
    required: ['type', 'data'],
    hints: CHANGES,
    run: createTool,
  },
  {
    name: 'update',
    description:
      'Change the attributes that `data` names; refused where somebody else has written since.',
    verbOf: () => 'update',
    properties: {
      documentId: DOCUMENT_ID,
      data: DATA,
      revision: REVISION,
      locale: LOCALE,
      publish: PUBLISH,
    },
    required: ['type', 'data', 'revision'],
    hints: DESTROYS,
    run: updateTool,
  },
  {
    name: 'publish',
    description: 'Make the draft of an entry what everybody sees.',
    verbOf: () => 'publish',
    properties: { documentId: DOCUMENT_ID, locale: LOCALE },
    required: ['type'],
    hints: CHANGES,
    run: (call) => actionTool(call, actionNamed('publish')),
  },
  {
    name: 'unpublish_or_discard',
    description:
      'Take back what is published and keep the draft (`unpublish`), or make the draft what is published again (`discard`).',
    verbOf: (_, { action }) => (action === 'discard' ? 'update' : 'publish'),
    properties: {
      action: { ...TEXT, enum: ['unpublish', 'discard'] },
      documentId: DOCUMENT_ID,
      locale: LOCALE,
    },
    required: ['type', 'action'],
    hints: DESTROYS,
    run: (call) => {
      const { action } = call.args
      if (action !== 'unpublish' && action !== 'discard') {
        throw invalidArgument('action', 'must be unpublish or discard')
      }
      return actionTool(call, actionNamed(action))
    },
  },
  {
    name: 'delete',
    description:
      'Delete an entry in one locale, its draft and what is published of it; in all by "*".',
    verbOf: () => 'delete',
    properties: { documentId: DOCUMENT_ID, locale: LOCALE, revision: REVISION },
    required: ['type'],
    hints: DESTROYS,
    run: deleteTool,
  },
]

export function listTools(schema: Schema, principal: Principal): readonly DescribedTool[] {
  return TOOLS.flatMap((tool): readonly DescribedTool[] => {
    const types = contentTypesOf(schema).filter((plan) => isUsable(tool, plan, principal))
    if (types.length === 0) return []
    const { name, description, properties, required, hints: annotations } = tool
    const type = { ...TEXT, enum: types.map(({ singularName }) => singularName) }
    const inputSchema = objectOf({ type, ...properties }, required)
    return [{ name, description, inputSchema, annotations }]
  })
}

export function isTool(name: unknown): name is string {
  return TOOLS.some((tool) => tool.name === name)
}

/** Authorization, validation and limits are those of the REST API. @throws CmsError */
export async function callTool(
  ctx: Context,
  { name, args }: { readonly name: string; readonly args: Data },
  dependencies: McpDependencies,
): Promise<object> {
  const tool = TOOLS.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}`)
  assertKnownArguments(args, ['type', ...Object.keys(tool.properties)])
  if (tool.verbOf === null && args['type'] === undefined) return describeTypes(ctx, dependencies)
  const plan = findContentType(dependencies.schema, args['type'])
  if (tool.verbOf !== null) {
    const verb = tool.verbOf(plan, args)
    assertMayUnderRule(ctx.state.principal, contentAction(plan, verb))
    assertFits(tool, plan, verb)
  }
  const locales = await dependencies.locales.current()
  return tool.run({ ctx, plan, args, locales, dependencies })
}

function isUsable({ verbOf, name }: Tool, plan: ContentTypePlan, principal: Principal): boolean {
  const mayUse = (verb: ContentVerb): boolean =>
    contentVerbs(plan).includes(verb) && mayUnderRule(principal, contentAction(plan, verb))
  if (verbOf === null) return contentVerbs(plan).some(mayUse)
  if (name === 'find' && plan.kind === 'singleType') return false
  if (name === 'unpublish_or_discard' && !plan.draftAndPublish) return false
  const verbs = [verbOf(plan, {}), verbOf(plan, { action: 'discard' })]
  return verbs.some(mayUse)
}

/** The permission check is not enough, because root has every permission. @throws ValidationError */
function assertFits({ name }: Tool, plan: ContentTypePlan, verb: ContentVerb): void {
  if (verb !== 'find' && verb !== 'findOne') assertTypeWritable(plan, verb)
  const isSingle = plan.kind === 'singleType'
  if (isSingle && (name === 'find' || name === 'create')) {
    throw invalidArgument('type', `${plan.singularName} is a single type: get and update it`)
  }
  const needsDrafts = name === 'publish' || name === 'unpublish_or_discard'
  if ((needsDrafts && !plan.draftAndPublish) || !contentVerbs(plan).includes(verb)) {
    throw invalidArgument('type', `${plan.singularName} has no drafts`)
  }
}

function findContentType(schema: Schema, name: unknown): ContentTypePlan {
  const plan = contentTypesOf(schema).find(({ singularName }) => singularName === name)
  if (plan !== undefined) return plan
  throw invalidArgument('type', 'must be a content-type that `describe` lists')
}
