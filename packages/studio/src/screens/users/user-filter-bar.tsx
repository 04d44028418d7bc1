import { useQuery } from '@tanstack/react-query'
import { apiRolesQuery } from '../../api/management.ts'
import { useMay } from '../../api/session.ts'
import type { UserFilter } from '../../api/users.ts'
import { Choice, type Option } from '../../design/choice.tsx'
import { SearchBox } from '../../design/search-box.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './users.module.css'

export interface UserFilterBarProps {
  readonly filter: UserFilter
  readonly onChange: (filter: UserFilter) => void
}

const ALL = 'all'

const STATES = {
  blocked: { blocked: true },
  unblocked: { blocked: false },
  confirmed: { confirmed: true },
  unconfirmed: { confirmed: false },
} as const satisfies Readonly<Record<string, UserFilter>>

type State = keyof typeof STATES

interface Chosen {
  readonly search: string | undefined
  readonly role: string | undefined
  readonly state: State | typeof ALL
}

export function UserFilterBar({ filter, onChange }: UserFilterBarProps) {
  const { t } = useTexts()
  const { search, role, ...state } = filter
  const shown = Object.keys(STATES) as State[]
  const chosen = shown.find((id) => JSON.stringify(STATES[id]) === JSON.stringify(state))
  const roles = useUserRoles()
  const change = (changed: Partial<Chosen>): void => {
    const next: Chosen = { search, role, state: chosen ?? ALL, ...changed }
    onChange({
      ...(next.search !== undefined && next.search !== '' && { search: next.search }),
      ...(next.role !== undefined && next.role !== ALL && { role: next.role }),
      ...(next.state !== ALL && STATES[next.state]),
    })
  }
  return (
    <div className={styles['bar']} role="search">
      <SearchBox value={search} onSearch={(text) => change({ search: text })} />
      <Choice
        isInline
        label={t('users.state')}
        options={[
          { id: ALL, name: t('users.allStates') },
          ...shown.map((id) => ({ id, name: t(`users.state.${id}`) })),
        ]}
        value={chosen ?? ALL}
        onChange={(id) => change({ state: id as State })}
      />
      {roles.length > 0 && (
        <Choice
          isInline
          label={t('users.role')}
          options={[{ id: ALL, name: t('users.allRoles') }, ...roles]}
          value={role ?? ALL}
          onChange={(id) => change({ role: id })}
        />
      )}
    </div>
  )
}

/** Without the role of callers that are no users. Empty if the administrator may not read roles. */
export function useUserRoles(): readonly Option[] {
  const enabled = useMay()('admin::roles.read')
  const roles = useQuery({ ...apiRolesQuery, enabled }).data ?? []
  return roles.filter(({ type }) => type !== 'public').map(({ type, name }) => ({ id: type, name }))
}
