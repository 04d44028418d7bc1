import { useSuspenseQuery } from '@tanstack/react-query'
import { type ComponentProps, Suspense, useState } from 'react'
import type { Attribute, Attributes } from '../../api/attributes.ts'
import {
  componentsQuery,
  type Declaration,
  declarationQuery,
  useTypes,
} from '../../api/content-types.ts'
import { startQuery, useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { lazyPart } from '../../design/load-part.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './types-section.module.css'
import sectionStyles from '../../design/page-section.module.css'
import { PageSection } from '../../design/page-section.tsx'
import table from '../../design/data-table.module.css'

const DeclarationEditor = lazyPart(
  async () => (await import('../declare/declaration-editor.tsx')).DeclarationEditor,
)
const NewDeclaration = lazyPart(
  async () => (await import('../declare/new-declaration.tsx')).NewDeclaration,
)

/** The declared types. Editable if the server runs in development mode. */
export function TypesSection() {
  const may = useMay()
  const { data: start } = useSuspenseQuery(startQuery)
  const isEditable = start.editableTypes && may('admin::declarations.update')
  const [edited, edit] = useState<ComponentProps<typeof DeclarationEditor>['edited'] | null>(null)
  const [added, add] = useState<'contentType' | 'component' | null>(null)
  if (edited !== null) return <DeclarationEditor edited={edited} onClose={() => edit(null)} />
  return (
    <>
      <DeclaredTypes onEdit={isEditable ? edit : undefined} onAdd={isEditable ? add : undefined} />
      {added !== null && (
        <Suspense>
          <NewDeclaration
            kind={added}
            onClose={() => add(null)}
            onMade={(draft) => {
              add(null)
              edit(draft)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

interface DeclaredTypesProps {
  readonly onEdit: ((uid: string) => void) | undefined
  readonly onAdd: ((kind: 'contentType' | 'component') => void) | undefined
}

function DeclaredTypes({ onEdit, onAdd }: DeclaredTypesProps) {
  const { t } = useTexts()
  const types = useTypes()
  const { data: components } = useSuspenseQuery(componentsQuery)
  const [uid, show] = useState<string | null>(null)
  const component = components.find((one) => one.uid === uid)
  const hint = onEdit === undefined ? t('settings.typesHint') : t('declare.hint')
  return (
    <>
      <PageSection
        title={t('settings.types')}
        hint={hint}
        action={
          onAdd !== undefined && (
            <Button onPress={() => onAdd('contentType')}>{t('declare.newType')}</Button>
          )
        }
      >
        <Rows label={t('settings.types')}>
          {types.map((type) => (
            <Row
              key={type.uid}
              title={
                <>
                  {type.displayName}
                  {type.draftAndPublish && (
                    <span className={sectionStyles['tag']}>{t('types.drafts')}</span>
                  )}
                  {type.localized && (
                    <span className={sectionStyles['tag']}>{t('types.localized')}</span>
                  )}
                </>
              }
              note={<code className={styles['code']}>{type.uid}</code>}
            >
              <Buttons uid={type.uid} name={type.displayName} onShow={show} onEdit={onEdit} />
            </Row>
          ))}
        </Rows>
      </PageSection>
      {(components.length > 0 || onAdd !== undefined) && (
        <PageSection
          title={t('types.components')}
          action={
            onAdd !== undefined && (
              <Button onPress={() => onAdd('component')}>{t('declare.newComponent')}</Button>
            )
          }
        >
          <Rows label={t('types.components')}>
            {components.map((one) => (
              <Row
                key={one.uid}
                title={one.displayName}
                note={<code className={styles['code']}>{one.uid}</code>}
              >
                <Buttons uid={one.uid} name={one.displayName} onShow={show} onEdit={onEdit} />
              </Row>
            ))}
          </Rows>
        </PageSection>
      )}
      {uid !== null && (
        <Dialog title={component?.displayName ?? uid} isOpen onClose={() => show(null)} form="wide">
          <Suspense fallback={<Skeleton />}>
            {component === undefined ? (
              <Declared uid={uid} />
            ) : (
              <AttributeTable attributes={component.attributes} />
            )}
          </Suspense>
        </Dialog>
      )}
    </>
  )
}

interface ButtonsProps extends Pick<DeclaredTypesProps, 'onEdit'> {
  readonly uid: string
  readonly name: string
  readonly onShow: (uid: string) => void
}

function Buttons({ uid, name, onShow, onEdit }: ButtonsProps) {
  const { t } = useTexts()
  return (
    <>
      <Button look="quiet" small onPress={() => onShow(uid)}>
        {t('settings.view')}
      </Button>
      {onEdit !== undefined && (
        <Button
          look="quiet"
          small
          aria-label={t('declare.edit', { name })}
          onPress={() => onEdit(uid)}
        >
          {t('settings.edit')}
        </Button>
      )}
    </>
  )
}

function Declared({ uid }: { readonly uid: string }) {
  const { data }: { readonly data: Declaration } = useSuspenseQuery(declarationQuery(uid))
  return <AttributeTable attributes={data.attributes} />
}

function AttributeTable({ attributes }: { readonly attributes: Attributes }) {
  const { t } = useTexts()
  return (
    <div className={table['scroll']}>
      <table className={`${table['table']} ${styles['table']}`}>
        <thead>
          <tr>
            <th scope="col">{t('filter.attribute')}</th>
            <th scope="col">{t('permission.type')}</th>
            <th scope="col">{t('types.rules')}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(attributes).map(([name, attribute]) => (
            <tr key={name}>
              <th scope="row">
                <code className={styles['code']}>{name}</code>
              </th>
              <td>{typeOf(attribute)}</td>
              <td className={styles['rules']}>{rulesOf(attribute).join(' · ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function typeOf(attribute: Attribute): string {
  if (attribute.type === 'relation') return `relation ${attribute.relation} ${attribute.target}`
  return attribute.type === 'component' ? `component ${attribute.component}` : attribute.type
}

const RULES = [
  'required',
  'unique',
  'private',
  'localized',
  'repeatable',
  'multiple',
  'min',
  'max',
  'minLength',
  'maxLength',
  'regex',
  'targetField',
  'enum',
  'components',
  'allowedTypes',
  'privateFiles',
  'mappedBy',
  'inversedBy',
  'onUserDelete',
] as const

type Rule = boolean | number | string | readonly string[]

/** For example `required`, `maxLength 120`. */
function rulesOf(attribute: Attribute): readonly string[] {
  const options: Readonly<Partial<Record<(typeof RULES)[number], Rule>>> = attribute
  return RULES.flatMap((rule) => {
    const value = options[rule]
    if (value === undefined || value === false) return []
    return value === true ? [rule] : [`${rule} ${[value].flat().join(', ')}`]
  })
}
