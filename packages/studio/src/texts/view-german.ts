import type { viewEnglish } from './view-english.ts'

export const viewGerman: Readonly<Record<keyof typeof viewEnglish, string>> = {
  'views.title': 'Ansichten',
  'views.own': 'Meine Ansichten',
  'views.shared': 'Ansichten des Teams',
  'views.none': 'Suchen, filtern oder wählen Sie Spalten, und speichern Sie dann die Liste.',
  'views.save': 'Diese Liste speichern',
  'views.saveTitle': 'Diese Liste als Ansicht speichern',
  'views.share': 'Mit dem Team teilen',
  'views.shareHint': 'Alle, die diese Liste öffnen können, sehen die Ansicht.',
  'views.saved': 'Ansicht gespeichert: {name}',
  'views.actions': 'Aktionen für {name}',
  'views.replace': 'Durch diese Liste ersetzen',
  'views.replaced': 'Ansicht ersetzt: {name}',
  'views.rename': 'Umbenennen',
  'views.unshare': 'Nicht mehr teilen',
  'views.nowShared': 'Mit dem Team geteilt: {name}',
  'views.notShared': 'Nicht mehr geteilt: {name}',
  'views.deleted': 'Ansicht gelöscht: {name}',
}
