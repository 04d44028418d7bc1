import type { ReactNode } from 'react'
import { listTitleOf, type TypeSummary, useTypes } from '../../../api/content-types.ts'
import type { PermittedAction } from '../../../api/management.ts'
import { Checkbox } from '../../../design/checkbox.tsx'
import table from '../../../design/data-table.module.css'
import { labelOf } from '../../../texts/labels.ts'
import { useTexts } from '../../../texts/texts.ts'
import type { Bounds } from './bounded-permissions.ts'
import { LocaleBounds } from './locale-bounds.tsx'
import styles from './permission-table.module.css'

export interface PermissionTableProps {
  readonly actions: readonly PermittedAction[]
  readonly granted: ReadonlySet<string>
  /** Actions that are permitted under a rule. */
  readonly ruled: ReadonlySet<string>
  readonly isReadOnly?: boolean
  readonly onChange: (granted: ReadonlySet<string>) => void
  /** The locales per type; absent if roles are not restricted to locales. */
  readonly bounds?: Bounds | undefined
  readonly onBounds?: (bounds: Bounds) => void
  /** Below the content types. */
  readonly children?: ReactNode
}

const CONTENT_VERBS = [
  'find',
  'findOne',
  'create',
  'update',
  'delete',
  'sync',
  'push',
  'readDrafts',
  'publish',
] as const

export function PermissionTable(props: PermissionTableProps) {
  const { actions, granted, isReadOnly = false, onChange, children, ...row } = props
  const { t } = useTexts()
  const types = useTypes()
  const names = new Set(actions.map(({ name }) => name))
  const others = actions.filter(({ subject }) => !subject.startsWith('api::'))
  const subjects = [...new Set(others.map(({ subject }) => subject))]
  const set = (changed: readonly string[], isGranted: boolean): void => {
    const kept = [...granted].filter((name) => !changed.includes(name))
    onChange(new Set(isGranted ? [...kept, ...changed] : kept))
  }
  return (
    <>
      <div className={`${table['scroll']} ${styles['scroll']}`}>
        <table className={`${table['table']} ${styles['table']}`}>
          <thead>
            <tr>
              <th scope="col">{t('permission.type')}</th>
              {CONTENT_VERBS.map((verb) => (
                <th key={verb} scope="col">
                  {t(`permission.${verb}`)}
                </th>
              ))}
              {row.bounds !== undefined && <th scope="col">{t('list.languages')}</th>}
            </tr>
          </thead>
          <tbody>
            {types.map((type) => (
              <TypeRow
                key={type.uid}
                {...row}
                granted={granted}
                isReadOnly={isReadOnly}
                type={type}
                verbs={CONTENT_VERBS.map((verb) =>
                  names.has(`${type.uid}.${verb}`) ? `${type.uid}.${verb}` : null,
                )}
                set={set}
              />
            ))}
          </tbody>
        </table>
      </div>
      {children}
      {subjects.map((subject) => (
        <OtherActions
          key={subject}
          granted={granted}
          isReadOnly={isReadOnly}
          subject={subject}
          actions={others.filter((one) => one.subject === subject)}
          set={set}
        />
      ))}
    </>
  )
}

type SetGranted = (names: readonly string[], isGranted: boolean) => void

type RowProps = Omit<PermissionTableProps, 'actions' | 'onChange' | 'children'>

interface TypeRowProps extends RowProps {
  readonly type: TypeSummary
  /** The name of the action in each column; null if the type does not have it. */
  readonly verbs: readonly (string | null)[]
  readonly set: SetGranted
}

function TypeRow(props: TypeRowProps) {
  const { type, verbs, granted, ruled, isReadOnly = false, set, bounds, onBounds } = props
  const { t } = useTexts()
  const title = listTitleOf(type)
  const all = verbs.filter((name) => name !== null)
  const held = all.filter((name) => granted.has(name))
  const isPartly = held.length > 0 || all.some((name) => ruled.has(name))
  const labelOfCell = (name: string, verb: (typeof CONTENT_VERBS)[number]): string => {
    const label = `${title}: ${t(`permission.${verb}`)}`
    return !granted.has(name) && ruled.has(name) ? t('permission.ruled', { name: label }) : label
  }
  return (
    <tr>
      <th scope="row">
        <Checkbox
          isSelected={held.length === all.length}
          isIndeterminate={isPartly && held.length < all.length}
          isReadOnly={isReadOnly}
          onChange={(isGranted) => set(all, isGranted)}
        >
          {title}
        </Checkbox>
      </th>
      {verbs.map((name, column) => {
        const verb = CONTENT_VERBS[column] ?? 'find'
        return (
          <td key={verb}>
            {name !== null && (
              <Checkbox
                aria-label={labelOfCell(name, verb)}
                isSelected={granted.has(name)}
                isIndeterminate={!granted.has(name) && ruled.has(name)}
                isReadOnly={isReadOnly}
                onChange={(isGranted) => set([name], isGranted)}
              />
            )}
          </td>
        )
      })}
      {bounds !== undefined && (
        <td>
          {type.localized && held.length > 0 && (
            <LocaleBounds
              title={title}
              bound={bounds[type.uid] ?? []}
              isReadOnly={isReadOnly}
              onChange={(bound) => onBounds?.({ ...bounds, [type.uid]: bound })}
            />
          )}
        </td>
      )}
    </tr>
  )
}

interface OtherActionsProps extends Pick<
  PermissionTableProps,
  'actions' | 'granted' | 'isReadOnly'
> {
  readonly subject: string
  readonly set: SetGranted
}

function OtherActions({ subject, actions, granted, isReadOnly = false, set }: OtherActionsProps) {
  return (
    <fieldset className={styles['others']}>
      <legend className={styles['legend']}>{subjectTitle(subject)}</legend>
      {actions.map(({ name, verb }) => (
        <Checkbox
          key={name}
          isSelected={granted.has(name)}
          isReadOnly={isReadOnly}
          onChange={(isGranted) => set([name], isGranted)}
        >
          {labelOf(verb)}
        </Checkbox>
      ))}
    </fieldset>
  )
}

/** `plugin::users-permissions.auth` becomes `Users permissions: auth`. */
function subjectTitle(subject: string): string {
  const [plugin = '', part] = subject.replace(/^\w+::/, '').split('.')
  return part === undefined || part === 'content-api'
    ? labelOf(plugin)
    : `${labelOf(plugin)}: ${labelOf(part).toLowerCase()}`
}
