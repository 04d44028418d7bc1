import type { commentEnglish } from './comment-english.ts'

export const commentGerman: Readonly<Record<keyof typeof commentEnglish, string>> = {
  'comments.title': 'Kommentare',
  'comments.add': 'Diesen Eintrag kommentieren',
  'comments.on': '{field} kommentieren',
  'comments.at': '{field}: {count} offener Kommentar | {field}: {count} offene Kommentare',
  'comments.send': 'Kommentieren',
  'comments.people': 'Personen zum Erwähnen',
  'comments.edit': 'Text des Kommentars',
  'comments.change': 'Bearbeiten',
  'comments.edited': 'Bearbeitet',
  'comments.resolve': 'Erledigt',
  'comments.reopen': 'Wieder öffnen',
  'comments.resolvedBy': 'Erledigt von {name}, {when}',
  'comments.showResolved': '{count} erledigten zeigen | {count} erledigte zeigen',
  'comments.delete': 'Kommentar löschen?',
  'comments.delete.hint': 'Er lässt sich nicht wiederherstellen.',
  'side.keys.comment': 'Feld kommentieren',
  'home.inbox': 'Kommentare für Sie',
  'home.inbox.mentioned': '{name} hat Sie erwähnt',
}
