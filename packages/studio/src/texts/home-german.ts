import type { homeEnglish } from './home-english.ts'

export const homeGerman: Readonly<Record<keyof typeof homeEnglish, string>> = {
  'home.title': 'Start',
  'home.hello': 'Hallo, {name}',
  'home.mine': 'Ihre letzten Einträge',
  'home.differing': 'Noch nicht veröffentlicht',
  'home.scheduled': 'Geplant',
  'home.failed': 'Fehlgeschlagen',
  'home.empty': 'Hier ist noch nichts',
  'home.emptyHint': 'Ihre letzten Einträge und unveröffentlichte Entwürfe erscheinen hier.',

  'steps.title': 'Erste Schritte',
  'steps.hide': 'Ausblenden',
  'steps.wereHidden': 'Die ersten Schritte sind ausgeblendet',
  'steps.done': 'erledigt',
  'steps.type': 'Inhaltstyp anlegen',
  'steps.type.hint': 'Er legt fest, welche Felder Ihre Einträge haben.',
  'steps.entry': 'Ersten Eintrag schreiben',
  'steps.entry.hint': 'Er wird beim Tippen als Entwurf gespeichert.',
  'steps.publish': 'Eintrag veröffentlichen',
  'steps.publish.hint': 'Dann zeigen ihn Apps. Sie können das jederzeit zurücknehmen.',
  'steps.app': 'App verbinden',
  'steps.app.hint':
    'Erstellen Sie ein API-Token, oder erlauben Sie in der Rolle Public allen das Lesen.',
  'steps.media': 'Bild hochladen',
  'steps.media.hint': 'Sie können es in jedem Eintrag verwenden.',
}
