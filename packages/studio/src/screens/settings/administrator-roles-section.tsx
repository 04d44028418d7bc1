import { useSuspenseQueries } from '@tanstack/react-query'
import {
  actionsQuery,
  administratorRolesQuery,
  type AdministratorRole,
  at,
  manage,
  type PermittedAction,
} from '../../api/management.ts'
import { type Permission, type Session, useMay, useSession } from '../../api/session.ts'
import { useTexts } from '../../texts/texts.ts'
import { RolesList } from './roles-list.tsx'

/** They follow the content-types: nobody changes them. */
const BUILT_IN = ['administrator', 'editor', 'author']

/** What administrators may do. */
export function AdministratorRolesSection() {
  const { t } = useTexts()
  const may = useMay()
  const session = useSession()
  const [{ data: roles }, { data: actions }] = useSuspenseQueries({
    queries: [administratorRolesQuery, actionsQuery],
  })
  return (
    <RolesList
      title={t('settings.administratorRoles')}
      hint={t('settings.administratorRolesHint')}
      roles={roles.map(({ permissions, ...role }) => ({
        ...role,
        granted: permissions.map(({ action }) => action),
      }))}
      actions={[...actions, ...managementActions(session)]}
      fixed={BUILT_IN}
      kept={BUILT_IN}
      may={{
        create: may('admin::administrator-roles.create'),
        update: may('admin::administrator-roles.update'),
        delete: may('admin::administrator-roles.delete'),
      }}
      changes={['administrator-roles', 'session']}
      onSave={({ isNew, type, name, description, granted }) => {
        const before = roles.find((role) => role.type === type)
        const permissions = keepLocales(granted, before)
        return isNew
          ? manage('POST', '/admin/administrator-roles', { type, name, description, permissions })
          : manage('PUT', at('administrator-roles', type), { name, description, permissions })
      }}
      onDelete={(type) => manage('DELETE', at('administrator-roles', type))}
    />
  )
}

/** Those of the management that one has: nobody can give others. */
function managementActions({ permissions }: Session): readonly PermittedAction[] {
  return permissions
    .filter(({ action }) => action.startsWith('admin::'))
    .map(({ action }) => {
      const dot = action.lastIndexOf('.')
      return { name: action, subject: action.slice(0, dot), verb: action.slice(dot + 1) }
    })
}

/** A permission that was bound to locales stays so. */
function keepLocales(
  granted: readonly string[],
  before: AdministratorRole | undefined,
): readonly Permission[] {
  return granted.map(
    (action) => before?.permissions.find((one) => one.action === action) ?? { action },
  )
}
