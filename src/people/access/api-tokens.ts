import Joi from 'joi'
import { NotFoundError } from '../../base/errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, ReadPreferenceName, Session } from '../../mongo/connection/database.ts'
import { READ_PREFERENCES } from '../../mongo/connection/read-preference.ts'
import type { Actions } from './actions.ts'
import {
  type ApiToken,
  type ApiTokenRow,
  apiTokenRows,
  findApiTokenRows,
  toApiToken,
} from './api-token-rows.ts'
import { createAccessKey, credentialHash } from './credentials.ts'
import { actionRule, assertKnownActions, permissionsRule } from './granted.ts'
import { inputError, readInput, shortText } from './input.ts'
import { assertRules } from '../rules/held-rules.ts'
import { fromRuleRow, toRuleRow } from '../rules/rename-rule.ts'
import {
  differingRules,
  rulesInput,
  type StoredRule,
  type StoredRuleRow,
} from '../rules/stored-rule.ts'
import { API_TOKEN_TYPES, type ApiTokenType } from './principal.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'

const TOKEN_TYPE = 'admin::api-token'

/** The key is shown once and never stored. */
export interface NewApiToken extends ApiToken {
  readonly accessKey: string
}

/** @throws ForbiddenError if the principal may not grant or withdraw one of these actions or rules. */
export type AssertToken = (actions: readonly string[], rules: readonly StoredRule[]) => void

export interface ApiTokens {
  list(): Promise<readonly ApiToken[]>
  /** @throws ValidationError */
  create(input: unknown, assert?: AssertToken): Promise<NewApiToken>
  /** A changed lifespan starts now. @throws NotFoundError, ValidationError */
  update(id: number, input: unknown, assert?: AssertToken): Promise<ApiToken>
  /** Replaces the key and restarts the lifespan. @throws NotFoundError */
  regenerate(id: number, assert?: AssertToken): Promise<NewApiToken>
  /** @throws NotFoundError */
  remove(id: number, assert?: AssertToken): Promise<ApiToken>
}

interface ApiTokenInput {
  readonly name: string
  readonly description?: string
  readonly type: ApiTokenType
  readonly permissions?: readonly string[]
  readonly rules?: readonly StoredRule[] | undefined
  readonly readPreference?: ReadPreferenceName | null
  readonly lifespanDays?: number | null
}

export interface ApiTokensContext {
  readonly db: Database
  readonly actions: Actions
  readonly versionedCache: Pick<VersionedCache<unknown>, 'change'>
  readonly now: () => Date
}

const DAY_MS = 24 * 60 * 60 * 1_000
const MAX_LIFESPAN_DAYS = 36_500

const TYPE = Joi.string().valid(...API_TOKEN_TYPES)
const OPTIONAL = {
  description: Joi.string().max(1_000).allow(''),
  permissions: permissionsRule(),
  rules: rulesInput(actionRule()),
  readPreference: Joi.string()
    .valid(...READ_PREFERENCES)
    .allow(null),
  lifespanDays: Joi.number().integer().min(1).max(MAX_LIFESPAN_DAYS).allow(null),
}

const CREATE = Joi.object<ApiTokenInput>({
  name: shortText().required(),
  type: TYPE.required(),
  ...OPTIONAL,
})
const UPDATE = Joi.object<Partial<ApiTokenInput>>({ name: shortText(), type: TYPE, ...OPTIONAL })

export function openApiTokens(context: ApiTokensContext): ApiTokens {
  const { db, versionedCache } = context
  const tokens = apiTokenRows(db)
  return {
    list: async () =>
      (await findApiTokenRows(db)).map((row) => toApiToken(row, context.actions.schema)),
    create: (input, assert = anything) => createToken(context, input, assert),
    update: async (id, input, assert = anything) => {
      const wanted = readInput(UPDATE, input)
      return changeToken(context, id, (row) => {
        const after = edited(context, row, wanted)
        assert(changedActions(context, row, after), changedRules(context, row, after))
        return after
      })
    },
    regenerate: async (id, assert = anything) => {
      const accessKey = createAccessKey()
      const token = await changeToken(context, id, (row) => {
        assert(actionsOfToken(context, row), rulesOfToken(context, row))
        return {
          ...row,
          hash: credentialHash(accessKey),
          expiresAt: expiryOf(context, row.lifespanDays),
        }
      })
      return { ...token, accessKey }
    },
    remove: (id, assert = anything) =>
      versionedCache.change(async (session) => {
        const row = await tokens.findOneAndDelete({ _id: id }, { session })
        if (row === null) throw noSuchToken(id)
        assert(actionsOfToken(context, row), rulesOfToken(context, row))
        noteRow(session, 'delete', { type: TOKEN_TYPE, documentId: String(id) })
        return toApiToken(row, context.actions.schema)
      }),
  }
}

const anything: AssertToken = () => undefined

function actionsOfToken(
  { actions }: Pick<ApiTokensContext, 'actions'>,
  { type, permissions }: Pick<ApiToken, 'type' | 'permissions'>,
): readonly string[] {
  switch (type) {
    case 'full-access':
      return actions.all.map(({ name }) => name)
    case 'read-only':
      return [...actions.readOnly]
    case 'custom':
      return permissions.filter((name) => actions.has(name))
  }
}

function rulesOfToken(
  { actions: { schema } }: Pick<ApiTokensContext, 'actions'>,
  { rules = [] }: Pick<ApiTokenRow, 'rules'>,
): readonly StoredRule[] {
  return rules.map((one) => fromRuleRow(schema, one))
}

function toRows(
  { actions: { schema } }: Pick<ApiTokensContext, 'actions'>,
  rules: readonly StoredRule[],
): readonly StoredRuleRow[] {
  return rules.map((one) => toRuleRow(schema, one))
}

/** Another lifespan affects all rules. */
function changedRules(
  context: ApiTokensContext,
  before: ApiTokenRow,
  after: ApiTokenRow,
): readonly StoredRule[] {
  const [held, wanted] = [rulesOfToken(context, before), rulesOfToken(context, after)]
  if (after.lifespanDays !== before.lifespanDays) return [...held, ...wanted]
  return differingRules(held, wanted)
}

/** The actions that a change grants or withdraws. Another lifespan affects all of them. */
function changedActions(
  context: ApiTokensContext,
  before: ApiTokenRow,
  after: ApiTokenRow,
): readonly string[] {
  const [held, wanted] = [actionsOfToken(context, before), actionsOfToken(context, after)]
  if (after.lifespanDays !== before.lifespanDays) return [...new Set([...held, ...wanted])]
  const [old, next] = [new Set(held), new Set(wanted)]
  return [...held.filter((name) => !next.has(name)), ...wanted.filter((name) => !old.has(name))]
}

async function createToken(
  context: ApiTokensContext,
  input: unknown,
  assert: AssertToken,
): Promise<NewApiToken> {
  const wanted = readInput(CREATE, input)
  const permissions = wanted.permissions ?? []
  const rules = wanted.rules ?? []
  const lifespanDays = wanted.lifespanDays ?? null
  assertFits(wanted.type, permissions, rules)
  assertKnownActions(context.actions, permissions)
  assertRules(context.actions.schema, rules)
  assert(actionsOfToken(context, { type: wanted.type, permissions }), rules)
  const accessKey = createAccessKey()
  const token = await context.versionedCache.change(async (session, id) => {
    await assertNameFree(context.db, session, wanted.name, id)
    const at = context.now()
    const row: ApiTokenRow = {
      _id: id,
      name: wanted.name,
      description: wanted.description ?? '',
      type: wanted.type,
      permissions,
      ...(rules.length > 0 && { rules: toRows(context, rules) }),
      readPreference: wanted.readPreference ?? null,
      lifespanDays,
      expiresAt: expiryOf(context, lifespanDays),
      lastUsedAt: null,
      hash: credentialHash(accessKey),
      createdAt: at,
      updatedAt: at,
    }
    await apiTokenRows(context.db).insertOne(row, { session })
    noteRow(session, 'put', { type: TOKEN_TYPE, documentId: String(id) })
    return toApiToken(row, context.actions.schema)
  })
  return { ...token, accessKey }
}

function changeToken(
  { db, actions, versionedCache, now }: ApiTokensContext,
  id: number,
  edit: (row: ApiTokenRow) => ApiTokenRow,
): Promise<ApiToken> {
  const tokens = apiTokenRows(db)
  return versionedCache.change(async (session) => {
    const row = await tokens.findOne({ _id: id }, { session })
    if (row === null) throw noSuchToken(id)
    const { _id, lastUsedAt, ...changed } = { ...edit(row), updatedAt: now() }
    if (changed.name !== row.name) await assertNameFree(db, session, changed.name, id)
    // Concurrent requests write `lastUsedAt` outside of transactions. Do not overwrite it.
    await tokens.updateOne({ _id }, { $set: changed }, { session })
    noteRow(session, 'put', { type: TOKEN_TYPE, documentId: String(id) })
    return toApiToken({ _id, lastUsedAt, ...changed }, actions.schema)
  })
}

function edited(
  context: ApiTokensContext,
  row: ApiTokenRow,
  wanted: Partial<ApiTokenInput>,
): ApiTokenRow {
  const type = wanted.type ?? row.type
  const permissions = wanted.permissions ?? (type === 'custom' ? row.permissions : [])
  const lifespanDays = wanted.lifespanDays === undefined ? row.lifespanDays : wanted.lifespanDays
  const rules = editedRules(context, row, { type, permissions, rules: wanted.rules })
  assertKnownActions(context.actions, permissions, row.permissions)
  return {
    ...row,
    name: wanted.name ?? row.name,
    description: wanted.description ?? row.description,
    type,
    permissions,
    ...rules,
    ...(wanted.readPreference !== undefined && { readPreference: wanted.readPreference }),
    lifespanDays,
    expiresAt: lifespanDays === row.lifespanDays ? row.expiresAt : expiryOf(context, lifespanDays),
  }
}

function editedRules(
  context: ApiTokensContext,
  row: ApiTokenRow,
  {
    type,
    permissions,
    rules,
  }: Pick<ApiTokenInput, 'type' | 'rules'> & Pick<ApiToken, 'permissions'>,
): Pick<ApiTokenRow, 'rules'> {
  const before = rulesOfToken(context, row)
  const after = rules ?? (type === 'custom' ? before : [])
  assertFits(type, permissions, after)
  assertRules(context.actions.schema, after, before)
  return after.length + before.length === 0 ? {} : { rules: toRows(context, after) }
}

function assertFits(
  type: ApiTokenType,
  permissions: readonly string[],
  rules: readonly StoredRule[],
): void {
  if (type === 'custom' || permissions.length + rules.length === 0) return
  const message = `permissions must be empty for a ${type} token`
  throw inputError('permissions', message, permissions, { code: 'token.permissions' })
}

async function assertNameFree(
  db: Database,
  session: Session,
  name: string,
  id: number,
): Promise<void> {
  const holder = await apiTokenRows(db).findOne({ name }, { session })
  if (holder === null || holder._id === id) return
  throw inputError('name', 'This attribute must be unique', name, { code: 'any.unique' })
}

function expiryOf({ now }: ApiTokensContext, lifespanDays: number | null): Date | null {
  return lifespanDays === null ? null : new Date(now().getTime() + lifespanDays * DAY_MS)
}

function noSuchToken(id: number): NotFoundError {
  return new NotFoundError(`There is no API token ${id}`)
}
