import type { SettingsInCode } from '../../base/config/members.ts'
import type { StudioSettings } from '../../base/config/studio-settings.ts'
import type { Extension } from '../extension.ts'

export interface ProjectConfig extends SettingsInCode {
  readonly extensions?: readonly Extension[] | undefined
  /** The branding of the Studio. */
  readonly studio?: StudioSettings | undefined
}

/** Returns the configuration unchanged and checks its types. */
export function defineConfig(config: ProjectConfig): ProjectConfig {
  return config
}
