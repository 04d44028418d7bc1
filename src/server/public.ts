// The entry of `@quire/server` for projects. Other modules of the package are internal.
export { defineConfig } from '../extensions/configuration/define-config.ts'
export type { ProjectConfig } from '../extensions/configuration/define-config.ts'
export type { SignInSettings } from '../base/config/sign-in-providers.ts'
export type { StudioLink, StudioSettings, StudioVariable } from '../base/config/studio-settings.ts'
export { defineExtension } from '../extensions/extension.ts'
export type {
  ComputedAttribute,
  ContentTypeExtension,
  Extension,
  ExtensionDatabase,
  StartEvent,
} from '../extensions/extension.ts'
export type {
  ActionAs,
  ActingAs,
  ContentPage,
  ContentQuery,
  ContentService,
  DocumentService,
  ExtensionPrincipal,
  SingleService,
  WritingAs,
} from '../extensions/content-service.ts'
export type { ExtensionJob, JobEvent } from '../extensions/extension-job.ts'
export type {
  ExtensionRequest,
  ExtensionRouteOptions,
  ExtensionRouter,
  ExtensionRouteSchema,
} from '../extensions/extension-route.ts'
export type * from '../extensions/project-types.ts'
export type * from '../extensions/search-provider.ts'
export type * from '../extensions/translate-provider.ts'
export type { BeforeWrite, BeforeWriteEvent, WriteOperation } from '../extensions/write-hook.ts'
export {
  ApplicationError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from '../base/errors.ts'
export { startTestServer } from './start-test-server.ts'
export type { TestRequest, TestServer, TestServerOptions } from './start-test-server.ts'
