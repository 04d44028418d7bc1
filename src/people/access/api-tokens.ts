import Joi from 'joi'
import { NotFoundError } from '../../base/errors.ts'
import { asCmsErrors } from '../../mongo/connection/database-error.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import {
  READ_PREFERENCES,
  type ReadPreferenceName,
} from '../../mongo/connection/read-preference.ts'
import type { Actions } from './actions.ts'
import {
  type ApiToken,
  type ApiTokenRow,
  apiTokenRows,
  findApiTokenRows,
  toApiToken,
} from './api-token-rows.ts'
import { createAccessKey, credentialHash } from './credentials.ts'
import { assertKnownActions, permissionsRule } from './granted.ts'
import { inputError, readInput, shortText } from './input.ts'
import { API_TOKEN_TYPES, type ApiTokenType } from './principal.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'

const TOKEN_TYPE = 'admin::api-token'

/** The key is shown once and never stored. */
export interface NewApiToken extends ApiToken {
  readonly accessKey: string
}

/** Throws if the principal may not grant or withdraw one of these actions. */
export type AssertToken = (actions: readonly string[]) => void

/** `assert` checks the rights of the caller. If omitted, every change is allowed. */
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
    list: async () => (await asCmsErrors(() => findApiTokenRows(db))).map(toApiToken),
    create: (input, assert = anything) => createToken(context, input, assert),
    update: async (id, input, assert = anything) => {
      const wanted = readInput(UPDATE, input)
      return changeToken(context, id, (row) => {
        const after = edited(context, row, wanted)
        assert(changedActions(context, row, after))
        return after
      })
    },
    regenerate: async (id, assert = anything) => {
      const accessKey = createAccessKey()
      const token = await changeToken(context, id, (row) => {
        assert(actionsOfToken(context, row))
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
        assert(actionsOfToken(context, row))
        noteRow(session, 'delete', { type: TOKEN_TYPE, documentId: String(id) })
        return toApiToken(row)
      }),
  }
}

const anything: AssertToken = () => undefined

/** The actions that the token permits. Actions of deleted content-types are omitted. */
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
  const lifespanDays = wanted.lifespanDays ?? null
  assertFits(wanted.type, permissions)
  assertKnownActions(context.actions, permissions)
  assert(actionsOfToken(context, { type: wanted.type, permissions }))
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
    return toApiToken(row)
  })
  return { ...token, accessKey }
}

function changeToken(
  { db, versionedCache, now }: ApiTokensContext,
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
    return toApiToken({ _id, lastUsedAt, ...changed })
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
  assertFits(type, permissions)
  assertKnownActions(context.actions, permissions, row.permissions)
  return {
    ...row,
    name: wanted.name ?? row.name,
    description: wanted.description ?? row.description,
    type,
    permissions,
    ...(wanted.readPreference !== undefined && { readPreference: wanted.readPreference }),
    lifespanDays,
    expiresAt: lifespanDays === row.lifespanDays ? row.expiresAt : expiryOf(context, lifespanDays),
  }
}

/**
 * Only custom tokens list permissions; other types imply them.
 * @throws ValidationError
 */
function assertFits(type: ApiTokenType, permissions: readonly string[]): void {
  if (type === 'custom' || permissions.length === 0) return
  throw inputError('permissions', `permissions must be empty for a ${type} token`, permissions)
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
