import { Link } from '@tanstack/react-router'
import { apiNameOf } from '../../api/content-types.ts'
import { sayError } from '../../api/request.ts'
import {
  type ComparedEntry,
  type ComparedUnit,
  type ImportResult,
  isImportable,
  shownText,
} from '../../api/translations.ts'
import { Checkbox } from '../../design/checkbox.tsx'
import { Notice } from '../../design/notice.tsx'
import { fieldLabel } from '../../texts/field-words.ts'
import { labelOf } from '../../texts/labels.ts'
import { useTexts } from '../../texts/texts.ts'
import type { TranslatedList } from './translated-list.ts'
import styles from './import-dialog.module.css'
import { type ComparedFile, importableIds, keyOfEntry } from './use-import.ts'

export interface ComparedEntriesProps {
  readonly list: TranslatedList
  readonly file: ComparedFile
  readonly isDone: boolean
  /** For an entry without texts. */
  readonly noTexts: string
  readonly onTake: (entry: ComparedEntry, ids: readonly string[], isTaken: boolean) => void
}

export function ComparedEntries({ list, file, isDone, noTexts, onTake }: ComparedEntriesProps) {
  const { t } = useTexts()
  if (file.entries.length === 0) return <Notice>{t('translation.empty')}</Notice>
  const failed = [...file.results.values()].filter(({ status }) => status >= 400).length
  return (
    <>
      <p className={styles['hint']} role="status">
        {isDone && failed > 0
          ? t('translation.failed', { count: failed })
          : t(list.declaration.draftAndPublish ? 'translation.draftHint' : 'translation.liveHint')}
      </p>
      {file.entries.map((entry) => (
        <Entry
          key={keyOfEntry(entry)}
          list={list}
          entry={entry}
          noTexts={noTexts}
          taken={file.taken.get(keyOfEntry(entry)) ?? new Set()}
          result={file.results.get(keyOfEntry(entry))}
          onTake={(ids, isTaken) => onTake(entry, ids, isTaken)}
        />
      ))}
    </>
  )
}

interface EntryProps {
  readonly list: TranslatedList
  readonly entry: ComparedEntry
  readonly noTexts: string
  readonly taken: ReadonlySet<string>
  readonly result: ImportResult | undefined
  readonly onTake: (ids: readonly string[], isTaken: boolean) => void
}

function Entry({ list, entry, noTexts, taken, result, onTake }: EntryProps) {
  const { t, locale: nameOf } = useTexts()
  const { documentId, from, to, title, units, status } = entry
  const ids = importableIds(entry)
  const shown = units.filter(({ status: one }) => one !== 'same' && one !== 'untranslated')
  const rest = units.filter(({ status: one }) => one === 'same').length
  const name = title === '' ? documentId : title
  const isWhole = ids.length > 0 && ids.every((id) => taken.has(id))
  const pair = { from: nameOf(from), to: nameOf(to) }
  return (
    <section className={styles['entry']} aria-label={name}>
      <header className={styles['head']}>
        {ids.length > 0 && result === undefined && (
          <Checkbox
            aria-label={t('translation.entry', { name })}
            isSelected={isWhole}
            isIndeterminate={!isWhole && taken.size > 0}
            onChange={(isTaken) => onTake(ids, isTaken)}
          />
        )}
        <h3 className={styles['name']}>{name}</h3>
        <span className={styles['pair']}>{t('translation.pair', pair)}</span>
      </header>
      {status !== 'ready' && (
        <p className={styles['why']}>
          {t(status === 'missing' ? 'translation.missing' : 'translation.notAllowed', pair)}
        </p>
      )}
      {result === undefined ? (
        <>
          {status === 'ready' && units.length === 0 && <p className={styles['hint']}>{noTexts}</p>}
          <ul className={styles['units']}>
            {shown.map((unit) => (
              <Unit
                key={unit.id}
                list={list}
                unit={unit}
                isTaken={taken.has(unit.id)}
                onTake={(isTaken) => onTake([unit.id], isTaken)}
              />
            ))}
          </ul>
          {rest > 0 && <p className={styles['hint']}>{t('translation.rest', { count: rest })}</p>}
        </>
      ) : (
        <Result list={list} name={name} result={result} />
      )}
    </section>
  )
}

interface UnitProps {
  readonly list: TranslatedList
  readonly unit: ComparedUnit
  readonly isTaken: boolean
  readonly onTake: (isTaken: boolean) => void
}

function Unit({ list, unit, isTaken, onTake }: UnitProps) {
  const { t, language } = useTexts()
  const [first = '', ...more] = unit.path ?? [unit.id.split('/')[0] ?? '']
  const { attributes } = list.declaration
  const name = [fieldLabel(first, attributes[first], language), ...more.map(wordOf)].join(' › ')
  const status = t(`translation.status.${unit.status}`)
  return (
    <li className={styles['unit']} data-status={unit.status}>
      <Checkbox
        aria-label={t('translation.unit', { name, status })}
        isSelected={isTaken}
        isDisabled={!isImportable(unit)}
        onChange={onTake}
      />
      <div className={styles['what']}>
        <p className={styles['field']}>
          {name} <span className={styles['status']}>{status}</span>
        </p>
        <dl className={styles['texts']}>
          <Text label={t('translation.source')} text={unit.source} />
          {unit.current !== null && <Text label={t('translation.current')} text={unit.current} />}
          <Text label={t('translation.text')} text={shownText(unit)} />
        </dl>
      </div>
    </li>
  )
}

function wordOf(name: string): string {
  return /^\d+$/.test(name) ? name : labelOf(name)
}

function Text({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className={styles['pairOfTexts']}>
      <dt>{label}</dt>
      <dd>{text}</dd>
    </div>
  )
}

interface ResultProps {
  readonly list: TranslatedList
  readonly name: string
  readonly result: ImportResult
}

function Result({ list, name, result }: ResultProps) {
  const texts = useTexts()
  const { documentId, locale, error } = result
  return (
    <p className={error === undefined ? styles['hint'] : styles['why']}>
      <Link
        to="/content/$type/$documentId"
        params={{ type: apiNameOf(list.declaration), documentId }}
        search={{ locale }}
        className={styles['link']}
      >
        {name} ({texts.locale(locale)})
      </Link>{' '}
      {error === undefined ? texts.t('translation.stored') : sayError(error, texts)}
    </p>
  )
}
