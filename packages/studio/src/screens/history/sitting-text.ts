import type { Attributes } from '../../api/attributes.ts'
import { fieldLabel } from '../../texts/field-words.ts'
import type { Texts } from '../../texts/texts.ts'
import type { Sitting } from './sittings.ts'

const MAX_NAMES = 4

/** Says what happened: `Edited Title, Cover`, `Published`. */
export function sittingText(
  sitting: Sitting,
  attributes: Attributes,
  { t, language }: Texts,
): string {
  const { kind, isNew, changed } = sitting
  if (kind !== 'edited' && kind !== 'restored') return eventText(sitting, t)
  if (isNew && kind === 'edited') return t('history.kind.created')
  const labels = (changed ?? []).map((name) => fieldLabel(name, attributes[name], language))
  if (labels.length === 0) return t(`history.kind.${kind}`)
  const names = labels.slice(0, MAX_NAMES).join(', ')
  const more = labels.length - MAX_NAMES
  return more > 0
    ? t(`history.${kind}More`, { names, count: more })
    : t(`history.${kind}Names`, { names })
}

function eventText({ kind, isScheduled }: Pick<Sitting, 'kind' | 'isScheduled'>, t: Texts['t']) {
  const canBeScheduled = kind === 'published' || kind === 'unpublished'
  return isScheduled && canBeScheduled ? t(`history.kind.${kind}OnTime`) : t(`history.kind.${kind}`)
}
