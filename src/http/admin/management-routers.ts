import type { Access } from '../../people/access/access.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import type { AccountsContext } from '../../people/accounts/accounts.ts'
import type { Mailer } from '../../people/accounts/mailer.ts'
import { SESSION_LIVES_MS } from '../../people/administrators/admin-sessions.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import { principalOfSession } from '../../people/administrators/principals.ts'
import type { Config } from '../../base/config/config.ts'
import { readVersion } from '../../base/config/version.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { IdempotentCreations } from '../../content/write/idempotent-creation.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { Definitions } from '../../schema/definition.ts'
import type { Log } from '../../base/log.ts'
import type { Schema } from '../../schema/plan.ts'
import type { Planning } from '../../content/planning/open-planning.ts'
import type { FileTrash } from '../../media/file-trash.ts'
import type { Folders } from '../../media/folders.ts'
import type { Webhooks } from '../../changes/webhooks/open-webhooks.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import type { LimitInFlight } from '../middleware/limit-in-flight.ts'
import { adminCookie } from '../admin-cookie/admin-cookie.ts'
import { adminRoutes } from './admin-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import { commentRoutes } from './comment-routes.ts'
import { reviewRoutes } from './review-routes.ts'
import { historyRoutes } from './history-routes.ts'
import {
  adminExtensionRouters,
  type ExtensionRouteDependencies,
} from '../extensions/extension-routes.ts'
import { adminSessionRoutes } from './admin-session-routes.ts'
import { administratorRoutes } from './administrator-routes.ts'
import { endUserRoutes } from './end-user-routes.ts'
import { authenticateAdministrator } from '../admin-cookie/authenticate-administrator.ts'
import { bulkActionRoutes } from '../content/admin-bulk-routes.ts'
import {
  type DeclarationFileDependencies,
  declarationFileRoutes,
} from './declarations/declaration-file-routes.ts'
import { declarationRoutes } from './declarations/declaration-routes.ts'
import { editorContentRoutes } from '../content/admin-routes.ts'
import { duplicateRoute } from '../content/duplicate-route.ts'
import {
  type TranslationRouteDependencies,
  translationRoutes,
} from '../content/translation-routes.ts'
import { entryRoutes } from '../content/entry-routes.ts'
import { type FileRouteDependencies, fileRoutes } from './file-routes.ts'
import { oidcRoutes } from '../oidc/oidc-routes.ts'
import { meRoutes } from './me-routes.ts'
import { releaseRoutes } from './release-routes.ts'
import { recentRoutes } from './recent-routes.ts'
import { scheduleRoutes } from './schedule-routes.ts'
import { trashRoutes } from './trash-routes.ts'
import { previewRoutes } from './preview-routes.ts'
import type { BeforeAdmin } from '../router/admin-router.ts'
import type { Middleware } from '../router/state.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { totpRoutes } from './totp-routes.ts'
import { overviewRoutes } from './overview-routes.ts'
import { presenceRoutes } from './presence-routes.ts'
import type { PresenceStreams } from '../sync/presence-streams.ts'
import { extensionFailureRoutes } from './extension-routes.ts'
import { viewRoutes } from './view-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

export interface ManagementDependencies {
  readonly config: Pick<Config, 'http' | 'api' | 'contentTypesDir' | 'webhooks' | 'upload'>
  readonly access: Access
  readonly accounts: AccountsContext
  readonly administrators: AdministratorsContext
  /** If null, links are shown but not mailed. */
  readonly mailer: Mailer | null
  readonly behind: AccountsContext['behind']
  readonly schema: Schema
  readonly definitions: Definitions
  readonly editableTypes: boolean
  readonly planDeclarations: DeclarationFileDependencies['planDeclarations']
  readonly documents: DocumentContext
  readonly editorsSchema: Schema
  readonly editorsDocuments: DocumentContext
  readonly locales: Locales
  readonly planning: Planning
  readonly creations: IdempotentCreations
  readonly log: Pick<Log, 'warn'>
  readonly limits: RateLimits | null
  readonly limited: LimitInFlight
  readonly readBody: Middleware
  readonly readRaw: Middleware
  /** Reads a file of a translator. */
  readonly readFile: Middleware
  readonly media: Pick<FileRouteDependencies, 'library' | 'receive' | 'resumable'> & {
    readonly trash: FileTrash
  }
  readonly folders: Folders
  readonly webhooks: Pick<Webhooks, 'test' | 'wake'>
  readonly translation: TranslationRouteDependencies['translation']
  readonly presenceStreams: PresenceStreams
  readonly extensions: ExtensionRouteDependencies['extensions']
  readonly validators: ExtensionRouteDependencies['validators']
}

export function managementRouters(dependencies: ManagementDependencies): readonly GuardedRouter[] {
  const { config, access, administrators, schema, definitions, locales } = dependencies
  const { publicUrl } = config.http
  const { before, enrolling, entrance } = standBefore(dependencies)
  const content = contentOf(dependencies, before)
  const { limits, webhooks, editableTypes, log, mailer, behind, editorsDocuments, folders } =
    dependencies
  const discussed = { ...content, administrators, mailer, publicUrl, behind, log }
  const administratorActions = administrators.actions
  const project = factsOf(dependencies)
  const start = { version: readVersion(), editableTypes }
  const mails = { mailer, publicUrl }
  return [
    adminSessionRoutes({ ...enrolling, ...entrance, start, project, behind, mails }),
    oidcRoutes({ ...entrance, log }),
    meRoutes({ ...before, ...entrance }),
    passkeyRoutes({ ...enrolling, administrators, limits }),
    totpRoutes({ ...enrolling, ...entrance }),
    entryRoutes(content),
    duplicateRoute(content),
    translationRoutes({ ...content, ...translating(dependencies) }),
    commentRoutes(discussed),
    reviewRoutes(discussed),
    previewRoutes({ ...content, previews: administrators.previews }),
    bulkActionRoutes(content),
    editorContentRoutes(content),
    fileRoutes({ ...content, ...dependencies.media, folders }),
    historyRoutes(content),
    trashRoutes({ ...content, trash: dependencies.media.trash }),
    scheduleRoutes(content),
    releaseRoutes(content),
    auditRoutes({ ...content, access, administrators, folders }),
    overviewRoutes(content),
    presenceRoutes({ ...content, streams: dependencies.presenceStreams }),
    viewRoutes({ ...content, administrators }),
    recentRoutes({ ...content, access, administrators, editableTypes }),
    declarationRoutes({ ...before, schema, definitions }),
    ...(editableTypes ? [declarationFileRoutes({ ...dependencies, ...content })] : []),
    administratorRoutes({ ...before, ...dependencies, publicUrl }),
    endUserRoutes({ ...before, ...dependencies, api: config.api }),
    extensionFailureRoutes({ ...before, documents: editorsDocuments }),
    webhookRoutes({ ...before, ...config.webhooks, ...editorsDocuments, schema, webhooks }),
    adminRoutes({ ...before, schema, access, locales, administratorActions }),
    ...adminExtensionRouters(
      { ...dependencies, maxBytes: config.api.answer.maxBytes },
      before,
      administratorActions,
    ),
  ]
}

function factsOf({
  config: { http, upload },
  translation,
}: Pick<ManagementDependencies, 'config' | 'translation'>) {
  const addresses = [http.publicUrl, upload.s3?.publicUrl]
  return {
    translator: translation?.name ?? null,
    fileOrigins: addresses.flatMap((address) => (address ? [new URL(address).origin] : [])),
  }
}

function contentOf(
  {
    config,
    access,
    administrators,
    locales,
    planning,
    creations,
    definitions,
    ...rest
  }: ManagementDependencies,
  before: BeforeAdmin,
) {
  return {
    ...before,
    schema: rest.editorsSchema,
    documents: rest.editorsDocuments,
    api: config.api,
    locales,
    planning,
    creations,
    definitions,
    access,
    administrators,
    recent: administrators.recent,
  }
}

function translating({ schema, readFile, translation, limited }: ManagementDependencies) {
  return { publicSchema: schema, readFile, translation, limited }
}

function standBefore({ config, access, administrators, limited, ...rest }: ManagementDependencies) {
  const { publicUrl, cookieName } = config.http
  const cookie = adminCookie({ publicUrl, cookieName, livesMs: SESSION_LIVES_MS })
  const beforeRoutes = (acceptsMissingFactor: boolean): BeforeAdmin => {
    const authenticate = authenticateAdministrator({
      access,
      principalOfSession: (token) => principalOfSession(administrators, token),
      cookie,
      acceptsMissingFactor,
    })
    return { readBody: rest.readBody, authenticate: limited(authenticate) }
  }
  const inFlight = limited((_, next) => next())
  return {
    before: beforeRoutes(false),
    enrolling: beforeRoutes(true),
    entrance: { administrators, limits: rest.limits, cookie, inFlight },
  }
}
