import type { Config } from '../../base/config/config.ts'
import { openContentService } from '../../content/service/open-content-service.ts'
import type { PrincipalSource } from '../../content/service/acting-principal.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { ExtensionHost } from '../../extensions/extension-host.ts'
import type { ExtensionRegistry } from '../../extensions/extension-registry.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { Schema } from '../../schema/plan.ts'

export interface HostedParts {
  readonly config: Pick<Config, 'api'>
  readonly schema: Schema
  readonly documents: DocumentContext
  readonly locales: () => Promise<Locales>
  readonly principals: () => Promise<PrincipalSource>
}

export function hostExtensions(
  { extensions, host }: Pick<ExtensionRegistry, 'extensions' | 'host'>,
  { config, ...parts }: HostedParts,
  report: ExtensionHost['report'],
): void {
  if (extensions.length === 0) return
  host.content = openContentService({ ...parts, api: config.api })
  host.report = report
}
