import type { DeclaredFile } from '../../api/declarations.ts'
import { Choice, type Option } from '../../design/choice.tsx'
import { Choices } from '../../design/choices.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { OptionsProps } from './options-props.ts'
import styles from './declare.module.css'
import { type Draft, readAt, textIn, writeAt } from './draft.ts'

const KINDS = ['manyToOne', 'manyToMany', 'oneToOne', 'oneToMany'] as const
const FILES = ['images', 'videos', 'audios', 'files'] as const
/** Relations may target these types, but their own attributes are fixed. */
const BUILT_IN = ['plugin::users-permissions.user']

export function RelationFields({ draft, files, attribute, onChange }: OptionsProps) {
  const { t } = useTexts()
  const { options, otherSide } = attribute
  const set = (key: string, value: string): void =>
    onChange({ ...attribute, options: writeAt(options, [key], value) })
  const target = textIn(options, 'target') ?? null
  const types = [
    ...declared(files, 'contentType', draft),
    ...BUILT_IN.map((id) => ({ id, name: id })),
  ]
  return (
    <>
      <div className={styles['pair']}>
        <Choice
          label={t('declare.relation')}
          options={KINDS.map((id) => ({ id, name: t(`declare.relation.${id}`) }))}
          value={textIn(options, 'relation') ?? null}
          onChange={(id) => set('relation', id)}
        />
        <Choice
          label={t('declare.target')}
          options={types}
          value={target}
          onChange={(id) => set('target', id)}
        />
      </div>
      {draft.kind === 'contentType' && !BUILT_IN.includes(target ?? '') && (
        <TextInput
          label={t('declare.otherSide')}
          value={otherSide ?? ''}
          onChange={(text) => onChange({ ...attribute, otherSide: text.trim() || null })}
          mono
          hint={t('declare.otherSideHint')}
          input={{ spellCheck: 'false' }}
        />
      )}
    </>
  )
}

export function ComponentOptions({ draft, files, attribute, onChange }: OptionsProps) {
  const { t } = useTexts()
  const { options } = attribute
  const components = declared(files, 'component', draft).filter(({ id }) => id !== draft.uid)
  if (components.length === 0) return <p className={styles['hint']}>{t('declare.noComponents')}</p>
  const set = (key: string, value: unknown): void =>
    onChange({ ...attribute, options: writeAt(options, [key], value) })
  if (options['type'] === 'component') {
    return (
      <Choice
        label={t('declare.component')}
        options={components}
        value={textIn(options, 'component') ?? null}
        onChange={(id) => set('component', id)}
      />
    )
  }
  return (
    <Choices
      label={t('declare.components')}
      options={components}
      chosen={listIn(options['components'])}
      onChange={(chosen) => set('components', chosen)}
    />
  )
}

export function MediaFields({ attribute, onChange }: OptionsProps) {
  const { t } = useTexts()
  const { options } = attribute
  const chosen = listIn(options['allowedTypes'])
  return (
    <Choices
      label={t('declare.allowedTypes')}
      options={FILES.map((id) => ({ id, name: t(`declare.files.${id}`) }))}
      chosen={chosen.length === 0 ? FILES : chosen}
      onChange={(kinds) =>
        onChange({
          ...attribute,
          options: writeAt(
            options,
            ['allowedTypes'],
            kinds.length === FILES.length
              ? undefined
              : FILES.filter((kind) => kinds.includes(kind)),
          ),
        })
      }
    />
  )
}

export function TargetField({ draft, attribute, onChange }: OptionsProps) {
  const { t } = useTexts()
  const { options } = attribute
  const texts = draft.attributes.filter(
    ({ options: { type } }) => type === 'string' || type === 'text',
  )
  return (
    <Choice
      label={t('declare.targetField')}
      options={[
        { id: '', name: t('declare.noTarget') },
        ...texts.map(({ name }) => ({ id: name, name })),
      ]}
      value={textIn(options, 'targetField') ?? ''}
      onChange={(id) =>
        onChange({ ...attribute, options: writeAt(options, ['targetField'], id || undefined) })
      }
    />
  )
}

function declared(
  files: readonly DeclaredFile[],
  kind: DeclaredFile['kind'],
  { uid, kind: own, rest }: Draft,
): readonly Option[] {
  const there = files
    .filter((file) => file.kind === kind && file.uid !== uid)
    .map((file) => ({ id: file.uid, name: shownName(file.content ?? {}, file.uid) }))
  const self = own === kind ? [{ id: uid, name: shownName(rest, uid) }] : []
  return [...self, ...there].sort((one, other) => one.name.localeCompare(other.name))
}

export function shownName(content: object, uid: string): string {
  const name = readAt(content as Readonly<Record<string, unknown>>, 'info', 'displayName')
  return typeof name === 'string' && name !== '' ? name : uid
}

function listIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
