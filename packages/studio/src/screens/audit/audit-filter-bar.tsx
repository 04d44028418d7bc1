import { useQuery } from '@tanstack/react-query'
import type { AuditFilter } from '../../api/audit.ts'
import { listTitleOf, useTypes } from '../../api/content-types.ts'
import { administratorsQuery } from '../../api/management.ts'
import { useMay } from '../../api/session.ts'
import { Choice, type Option } from '../../design/choice.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './audit-section.module.css'
import { AUDITED_TYPES } from './audit-items.tsx'

export interface AuditFilterBarProps {
  readonly filter: AuditFilter
  readonly onChange: (filter: AuditFilter) => void
}

const ALL = 'all'
const MAX_DATE_LENGTH = 'yyyy-mm-dd'.length

export function AuditFilterBar({ filter, onChange }: AuditFilterBarProps) {
  const { t } = useTexts()
  const { type: _type, ...otherThanType } = filter
  const { by: _by, ...otherThanBy } = filter
  return (
    <div className={styles['bar']} role="search">
      <Choice
        label={t('audit.about')}
        options={useAbout()}
        value={filter.type ?? ALL}
        onChange={(id) => onChange(id === ALL ? otherThanType : { ...filter, type: id })}
      />
      <Choice
        label={t('audit.by')}
        options={usePeople()}
        value={filter.by?.id ?? filter.by?.kind ?? ALL}
        onChange={(id) => onChange(id === ALL ? otherThanBy : { ...filter, by: askedBy(id) })}
      />
      <Day name="since" filter={filter} onChange={onChange} />
      <Day name="until" filter={filter} onChange={onChange} />
    </div>
  )
}

function Day({
  name,
  filter,
  onChange,
}: AuditFilterBarProps & { readonly name: 'since' | 'until' }) {
  const { t } = useTexts()
  return (
    <TextInput
      type="date"
      label={t(`audit.${name}`)}
      value={filter[name] ?? ''}
      onChange={(day) => {
        if (day.length > MAX_DATE_LENGTH) return // a year with too many digits for a date
        const { [name]: _before, ...others } = filter
        onChange(day === '' ? others : { ...others, [name]: day })
      }}
    />
  )
}

function useAbout(): readonly Option[] {
  const { t } = useTexts()
  const types = useTypes().filter(({ uid }) => uid.startsWith('api::'))
  return [
    { id: ALL, name: t('audit.everything') },
    ...types.map((type) => ({ id: type.uid, name: listTitleOf(type) })),
    ...AUDITED_TYPES.map((id) => ({ id, name: t(`audit.type.${id}`) })),
  ]
}

const KINDS = ['apiToken', 'user', 'anonymous', 'root', 'cli', 'system'] as const

/** Administrators by name if the user may list them; other authors by kind. */
function usePeople(): readonly Option[] {
  const { t } = useTexts()
  const maySee = useMay()('admin::administrators.read')
  const people = useQuery({ ...administratorsQuery, enabled: maySee }).data ?? []
  return [
    { id: ALL, name: t('audit.everybody') },
    ...people.map(({ id, name }) => ({ id, name })),
    ...KINDS.map((id) => ({ id, name: t(`author.${id}`) })),
  ]
}

function askedBy(id: string): NonNullable<AuditFilter['by']> {
  const isKind = KINDS.some((kind) => kind === id)
  return isKind ? { kind: id } : { kind: 'administrator', id }
}
