import type { TextKey } from '../texts/english.ts'

export const SETTINGS_SECTIONS = [
  { id: 'account', title: 'settings.account', action: null },
  { id: 'locales', title: 'settings.locales', action: 'admin::locales.create' },
  { id: 'api-tokens', title: 'settings.apiTokens', action: 'admin::api-tokens.read' },
  { id: 'api-roles', title: 'settings.apiRoles', action: 'admin::roles.read' },
  { id: 'users', title: 'settings.users', action: 'plugin::users-permissions.user.find' },
  { id: 'administrators', title: 'settings.administrators', action: 'admin::administrators.read' },
  {
    id: 'administrator-roles',
    title: 'settings.administratorRoles',
    action: 'admin::administrator-roles.read',
  },
  { id: 'webhooks', title: 'settings.webhooks', action: 'admin::webhooks.read' },
  { id: 'audit', title: 'settings.audit', action: 'admin::audit.read' },
  { id: 'types', title: 'settings.types', action: null },
] as const satisfies readonly {
  readonly id: string
  readonly title: TextKey
  readonly action: string | null
}[]

export type SettingsSectionId = (typeof SETTINGS_SECTIONS)[number]['id']
