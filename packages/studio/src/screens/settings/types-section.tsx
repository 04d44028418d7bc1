import { useSuspenseQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import {
  type Attribute,
  type Attributes,
  componentsQuery,
  type Declaration,
  declarationQuery,
  useTypes,
} from '../../api/content-types.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Row, Rows } from '../../design/rows.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './types-section.module.css'
import sectionStyles from './section.module.css'
import { Section } from './section.tsx'

/** What is declared, to read. */
export function TypesSection() {
  const { t } = useTexts()
  const types = useTypes()
  const { data: components } = useSuspenseQuery(componentsQuery)
  const [uid, show] = useState<string | null>(null)
  const component = components.find((one) => one.uid === uid)
  return (
    <>
      <Section title={t('settings.types')} hint={t('settings.typesHint')}>
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
              <Button look="quiet" small onPress={() => show(type.uid)}>
                {t('settings.view')}
              </Button>
            </Row>
          ))}
        </Rows>
      </Section>
      {components.length > 0 && (
        <Section title={t('types.components')}>
          <Rows label={t('types.components')}>
            {components.map((one) => (
              <Row
                key={one.uid}
                title={one.displayName}
                note={<code className={styles['code']}>{one.uid}</code>}
              >
                <Button look="quiet" small onPress={() => show(one.uid)}>
                  {t('settings.view')}
                </Button>
              </Row>
            ))}
          </Rows>
        </Section>
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

function Declared({ uid }: { readonly uid: string }) {
  const { data }: { readonly data: Declaration } = useSuspenseQuery(declarationQuery(uid))
  return <AttributeTable attributes={data.attributes} />
}

function AttributeTable({ attributes }: { readonly attributes: Attributes }) {
  const { t } = useTexts()
  return (
    <div className={styles['scroll']}>
      <table className={styles['table']}>
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

function typeOf({ type, relation, target, component }: Attribute): string {
  return [type, relation, target, component].filter((part) => part !== undefined).join(' ')
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
  'mappedBy',
  'inversedBy',
] as const

/** As they are declared: `required`, `maxLength 120`. */
function rulesOf(attribute: Attribute): readonly string[] {
  return RULES.flatMap((rule) => {
    const value = attribute[rule]
    if (value === undefined || value === false) return []
    return value === true ? [rule] : [`${rule} ${[value].flat().join(', ')}`]
  })
}
