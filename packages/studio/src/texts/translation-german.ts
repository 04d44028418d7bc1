import type { translationEnglish } from './translation-english.ts'

export const translationGerman: Readonly<Record<keyof typeof translationEnglish, string>> = {
  'translation.export': 'Texte exportieren',
  'translation.exportTitle':
    '{count} Eintrag zum Übersetzen exportieren | {count} Einträge zum Übersetzen exportieren',
  'translation.exportHint':
    'Die Datei enthält die Texte auf {from} und ihre Übersetzungen, für Übersetzer oder Übersetzungsprogramme.',
  'translation.tooMany': 'Wählen Sie höchstens {count} Einträge aus.',
  'translation.to': 'Übersetzen in',
  'translation.format': 'Format',
  'translation.format.xliff': 'XLIFF 1.2',
  'translation.format.json': 'JSON',
  'translation.download': 'Herunterladen',
  'translation.more': 'Mehr zu {name}',
  'translation.import': 'Übersetzungen importieren',
  'translation.choose': 'Datei auswählen',
  'translation.drop': 'Übersetzte Datei hier ablegen',
  'translation.dropHint':
    'XLIFF 1.2 oder JSON, aus dieser Liste exportiert. Sie sehen alle Unterschiede, bevor etwas gespeichert wird.',
  'translation.reading': 'Die Datei wird verglichen',
  'translation.another': 'Andere Datei',
  'translation.empty': 'Die Datei enthält keine Einträge.',
  'translation.noTexts': 'Die Datei enthält keine Übersetzung für diesen Eintrag.',
  'translation.pair': '{from} nach {to}',
  'translation.entry': 'Alle Texte von {name}',
  'translation.unit': '{name}: {status}',
  'translation.source': 'Original',
  'translation.current': 'Bisher',
  'translation.text': 'Neu',
  'translation.rest': '{count} Text ohne Änderung | {count} Texte ohne Änderung',
  'translation.submit': '{count} Text importieren | {count} Texte importieren',
  'translation.noneChosen': 'Nichts zu importieren',
  'translation.draftHint': 'Die Texte werden als Entwürfe gespeichert. Nichts wird veröffentlicht.',
  'translation.liveHint': 'Diese Einträge haben keine Entwürfe. Apps erhalten die Texte sofort.',
  'translation.done': '{count} Eintrag importiert | {count} Einträge importiert',
  'translation.failed':
    '{count} Eintrag wurde nicht importiert | {count} Einträge wurden nicht importiert',
  'translation.stored': 'Importiert',
  'translation.missing':
    'Diesen Eintrag gibt es auf {from} nicht mehr, oder Sie dürfen ihn nicht öffnen.',
  'translation.notAllowed': 'Sie dürfen {to} nicht bearbeiten.',
  'translation.status.new': 'Neu',
  'translation.status.changed': 'Geändert',
  'translation.status.source_changed': 'Das Original wurde nach dem Export geändert',
  'translation.status.target_changed':
    'Komponenten, Absätze oder Links der Sprachen unterscheiden sich und werden ersetzt oder nach Position zugeordnet',
  'translation.status.same': 'Gleich',
  'translation.status.source_removed': 'Das Original wurde geändert oder gelöscht',
  'translation.status.target_removed': 'Die Komponente der Übersetzung wurde gelöscht',
  'translation.status.untranslated': 'Nicht übersetzt',
  'translation.status.tags': 'Die Markierungen von Links und Formaten sind falsch',
  'translation.status.not_allowed': 'Sie dürfen dieses Feld nicht ändern',
}
