import { canonicalAction } from '../people/access/actions.ts'
import type { Access } from '../people/access/access.ts'
import { isRefusal } from '../base/is-refusal.ts'
import type { Locales } from '../content/locales/locales.ts'
import type { ArchiveIndex } from './archive-index.ts'
import type { ArchiveEntity, ArchiveSummary } from './scan-archive.ts'

export interface SettingsImport {
  readonly summary: Pick<ArchiveSummary, 'settings' | 'defaultLocale'>
  readonly index: Pick<ArchiveIndex, 'linked'>
  readonly leaveBehind: (sentence: string) => void
}

const ROLE = 'plugin::users-permissions.role'
const PERMISSION = 'plugin::users-permissions.permission'

export async function importLocales(
  locales: Locales,
  { summary: { settings, defaultLocale }, leaveBehind }: SettingsImport,
  isEmpty: boolean,
): Promise<void> {
  const here = await locales.current()
  for (const { data } of settings.get('plugin::i18n.locale') ?? []) {
    const [code, name] = [String(data['code']), String(data['name'])]
    if (here.has(code)) continue
    try {
      await locales.add({ code, name })
    } catch (error) {
      if (!isRefusal(error)) throw error
      leaveBehind(`locale ${code}: ${error.message}`)
    }
  }
  if (!isEmpty || defaultLocale === null) return
  const now = await locales.current()
  if (now.has(defaultLocale) && now.defaultCode !== defaultLocale) {
    await locales.update(defaultLocale, { isDefault: true })
  }
}

export async function importRoles(
  { roles, actions }: Pick<Access, 'roles' | 'actions'>,
  { summary: { settings }, index, leaveBehind }: SettingsImport,
): Promise<ReadonlyMap<number, string>> {
  const permissions = new Map(
    (settings.get(PERMISSION) ?? []).map(({ id, data }) => [id, String(data['action'])]),
  )
  const known = new Map((await roles.list()).map((role) => [role.type, role.documentId]))
  const imported = new Map<number, string>()
  for (const role of settings.get(ROLE) ?? []) {
    const names = index
      .linked(ROLE, role.id, 'permissions')
      .map(({ ref }) => permissions.get(ref))
      .filter((action) => action !== undefined)
      .map(canonicalAction)
    for (const name of names.filter((name) => !actions.has(name))) {
      leaveBehind(`role ${String(role.data['type'])}: ${name}: no such action here`)
    }
    const granted = [...new Set(names.filter((name) => actions.has(name)))]
    const documentId = await importRole(roles, role, granted, { known, leaveBehind })
    if (documentId !== null) imported.set(role.id, documentId)
  }
  return imported
}

async function importRole(
  roles: Access['roles'],
  { data }: ArchiveEntity,
  permissions: readonly string[],
  {
    known,
    leaveBehind,
  }: {
    readonly known: ReadonlyMap<string, string>
    readonly leaveBehind: SettingsImport['leaveBehind']
  },
): Promise<string | null> {
  const type = String(data['type'])
  try {
    const there = known.get(type)
    if (there !== undefined) {
      await roles.grant(type, permissions)
      return there
    }
    const { name, description } = data
    const made = {
      name,
      type,
      permissions,
      ...(typeof description === 'string' && { description }),
    }
    return (await roles.create(made)).documentId
  } catch (error) {
    if (!isRefusal(error)) throw error
    leaveBehind(`role ${type}: ${error.message}`)
    return null
  }
}
