import Joi from 'joi'
import { administratorAction as may } from '../../../people/access/administrator-actions.ts'
import { readInput } from '../../../people/access/input.ts'
import type { Config } from '../../../base/config/config.ts'
import type { DocumentContext } from '../../../content/context.ts'
import { noteDeclarations } from '../../../content/history/note-declarations.ts'
import type { Log } from '../../../base/log.ts'
import type {
  AssessDefinitions,
  DeclarationChanges,
  DeclaredFiles,
} from '../../../schema/editing/open-declarations.ts'
import { adminRouter, type BeforeAdmin } from '../../router/admin-router.ts'
import { readMatch } from '../../answer/entity-tag.ts'
import type { GuardedRouter } from '../../router/guarded-router.ts'
import { payloadOf } from '../../body/read-request.ts'
import type { Context } from '../../router/state.ts'
import { editedDeclarations } from './edited-declarations.ts'

export interface DeclarationFileDependencies extends BeforeAdmin {
  readonly config: Pick<Config, 'contentTypesDir' | 'api'>
  readonly log: Pick<Log, 'warn'>
  readonly documents: Pick<DocumentContext, 'database'>
  /** @throws SchemaError for declarations that the next start would refuse */
  readonly planDeclarations: AssessDefinitions
}

interface Given {
  readonly declarations: Readonly<Record<string, object | null>>
}

const MAX_CHANGES = 50
const CHANGES = Joi.object<Given>({
  declarations: Joi.object()
    .pattern(Joi.string().max(200), Joi.object().unknown().allow(null))
    .min(1)
    .max(MAX_CHANGES)
    .required(),
})

export function declarationFileRoutes(dependencies: DeclarationFileDependencies): GuardedRouter {
  const admin = adminRouter('/admin', dependencies)
  const { config, documents, log, planDeclarations } = dependencies
  const declarations = editedDeclarations(config, planDeclarations)
  admin.get('/declarations', may('admin::declarations', 'read'), async (ctx) => {
    sendFiles(ctx, await declarations.read())
  })
  admin.put('/declarations', may('admin::declarations', 'update'), async (ctx) => {
    const changes = readChanges(ctx)
    const changed = await declarations.change(changes, matcherOf(ctx))
    await noteDeclarations(documents, changes)
    log.warn({ declarations: [...changes.keys()] }, 'Declarations were changed in the Studio')
    sendFiles(ctx, changed)
  })
  admin.post('/declarations/plan', may('admin::declarations', 'update'), async (ctx) => {
    ctx.body = { data: await declarations.plan(readChanges(ctx), matcherOf(ctx)) }
  })
  return admin.router
}

function readChanges(ctx: Context): DeclarationChanges {
  const body = payloadOf(ctx)
  readInput(CHANGES, body)
  // Uses the raw body, because validation copies objects and drops keys such as `__proto__`.
  return new Map(Object.entries((body as Given).declarations))
}

function matcherOf(ctx: Context): (revision: string) => boolean {
  const wanted = readMatch(ctx)
  return (revision) => wanted === null || wanted === '*' || wanted.has(revision)
}

function sendFiles(ctx: Context, { revision, ...rest }: DeclaredFiles): void {
  ctx.set('ETag', `"${revision}"`)
  ctx.body = { data: { revision, ...rest } }
}
