import { useSuspenseQueries } from '@tanstack/react-query'
import {
  administratorActionsQuery,
  administratorRolesQuery,
  at,
  manage,
} from '../../api/management.ts'
import { useMay } from '../../api/session.ts'
import { useTexts } from '../../texts/texts.ts'
import { boundedPermissions, boundsOf } from './permissions/bounded-permissions.ts'
import { RolesList } from './roles-list.tsx'

export function AdministratorRolesSection() {
  const { t } = useTexts()
  const may = useMay()
  const [{ data: roles }, { data: actions }] = useSuspenseQueries({
    queries: [administratorRolesQuery, administratorActionsQuery],
  })
  const builtIn = roles.filter((role) => role.builtIn).map(({ type }) => type)
  return (
    <RolesList
      title={t('settings.administratorRoles')}
      hint={t('settings.administratorRolesHint')}
      roles={roles.map(({ permissions, rules = [], ...role }) => ({
        ...role,
        rules,
        granted: permissions.map(({ action }) => action),
        bounds: boundsOf(permissions),
      }))}
      actions={actions}
      fixed={builtIn}
      kept={builtIn}
      may={{
        create: may('admin::administrator-roles.create'),
        update: may('admin::administrator-roles.update'),
        delete: may('admin::administrator-roles.delete'),
      }}
      changes={['administrator-roles', 'session']}
      holders="administrators"
      isBound
      onSave={({ isNew, type, name, description, granted, rules, bounds = {} }) => {
        const before = roles.find((role) => role.type === type)
        const permissions = boundedPermissions(granted, bounds, before?.permissions ?? [])
        const body = { name, description, permissions, rules }
        return isNew
          ? manage('POST', '/admin/administrator-roles', { type, ...body })
          : manage('PUT', at('administrator-roles', type), body)
      }}
      onDelete={(type) => manage('DELETE', at('administrator-roles', type))}
    />
  )
}
