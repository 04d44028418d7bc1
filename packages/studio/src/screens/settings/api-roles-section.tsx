import { useSuspenseQueries } from '@tanstack/react-query'
import { actionsQuery, apiRolesQuery, at, manage } from '../../api/management.ts'
import { useMay } from '../../api/session.ts'
import { useTexts } from '../../texts/texts.ts'
import { RolesList } from './roles-list.tsx'

/** Roles that cannot be deleted. */
const BUILT_IN = ['public', 'authenticated']

export function ApiRolesSection() {
  const { t } = useTexts()
  const may = useMay()
  const [{ data: roles }, { data: actions }] = useSuspenseQueries({
    queries: [apiRolesQuery, actionsQuery],
  })
  return (
    <RolesList
      title={t('settings.apiRoles')}
      hint={t('settings.apiRolesHint')}
      roles={roles.map(({ permissions, rules = [], ...role }) => ({
        ...role,
        granted: permissions,
        rules,
      }))}
      actions={actions}
      fixed={[]}
      kept={BUILT_IN}
      holders="users"
      may={{
        create: may('admin::roles.create'),
        update: may('admin::roles.update'),
        delete: may('admin::roles.delete'),
      }}
      changes={['roles']}
      onSave={({ isNew, type, name, description, granted, rules }) =>
        isNew
          ? manage('POST', '/admin/roles', { type, name, description, permissions: granted, rules })
          : manage('PUT', at('roles', type), { name, description, permissions: granted, rules })
      }
      onDelete={(type) => manage('DELETE', at('roles', type))}
    />
  )
}
