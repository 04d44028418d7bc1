import type { declareFaultEnglish } from './declare-fault-english.ts'

export const declareFaultGerman: Readonly<Record<keyof typeof declareFaultEnglish, string>> = {
  'fault.near': '{text}. Meinten Sie {near}?',
  'fault.declare.aboveLimit': 'Das darf nicht über {option} ({limit}) liegen',
  'fault.declare.bothSides': 'Eine Seite hat entweder inversedBy oder mappedBy, nicht beides',
  'fault.declare.collection': 'Verwenden Sie Buchstaben, Ziffern und _',
  'fault.declare.adoptInverse':
    '{type} würde seine Eins-zu-eins-Beziehungen in diese Sammlung schreiben, die nur gelesen wird',
  'fault.declare.adoptLevels':
    'Die Komponenten einer übernommenen Sammlung sind höchstens {limit} Ebenen tief verschachtelt',
  'fault.declare.adoptOption':
    'Eine übernommene Sammlung unterstützt das nicht. Lassen Sie es weg.',
  'fault.declare.adoptPaths':
    '{name} und {other} überschneiden sich und sind nicht beide schreibbar: Setzen Sie für eines "writable": false',
  'fault.declare.adoptType': 'Eine übernommene Sammlung hat keine Felder vom Typ {type}',
  'fault.declare.collectionReserved':
    'Sammlungen, die mit quire_ beginnen, gehören dem Server selbst',
  'fault.declare.convert':
    'Erlaubt sind "null" oder eine Zeitzone wie {"timeZone": "Europe/Berlin"}',
  'fault.declare.convertLoses':
    'Gespeicherte Werte vom Typ {kind}, die nicht zu {type} passen: {amount}. Um sie zu entfernen, ergänzen Sie "convert": "null" beim Attribut in der Datei.',
  'fault.declare.convertValues':
    'Gespeicherte Werte vom Typ {kind}, die nicht zu {type} passen: {amount}. Um Werte umzubenennen, ergänzen Sie "from": {"alt": "neu"} beim Attribut in der Datei. Um sie zu entfernen, ergänzen Sie "convert": "null".',
  'fault.declare.renamedValue':
    'Aus {name} wird {wanted}: {wanted} muss unter den Werten stehen, {name} darf es nicht',
  'fault.declare.convertZone':
    'Gespeicherte Werte vom Typ {kind}, die für {type} eine Zeitzone brauchen: {amount}. Ergänzen Sie "convert": {"timeZone": "UTC"} oder eine andere Zone beim Attribut in der Datei.',
  'fault.declare.aliasTaken': '{name} ist schon der Name eines Attributs oder Alias',
  'fault.declare.collectionTaken': 'Die Sammlung {name} gehört schon zu {type}',
  'fault.declare.componentUid': '{name} ist keine UID einer Komponente. Beispiel: shared.link',
  'fault.declare.defaultBlocks': 'Der Standardwert ist kein gültiger Rich-Text',
  'fault.declare.duplicate': '{name} ist schon in {file} deklariert',
  'fault.declare.endless':
    'Diese Komponente verlangt eine andere, die wiederum diese verlangt. Machen Sie eine davon optional.',
  'fault.declare.filterDepth':
    'Ein Filter darf durch höchstens eine Beziehung oder Komponente führen',
  'fault.declare.filterHolder': 'Es gibt keine Beziehung oder Komponente {name}',
  'fault.declare.filterName': 'Es gibt kein Attribut {name}, nach dem sich filtern lässt',
  'fault.declare.gone': 'Es gibt keine Deklaration von {name}',
  'fault.declare.indexComponent': '{name} ist eine Komponente. Nennen Sie ein Attribut darin.',
  'fault.declare.indexInside': '{name} ist keine Komponente',
  'fault.declare.indexInverse':
    '{name} wird auf der anderen Seite gespeichert, die einen Index hat',
  'fault.declare.indexLists':
    '{name} und {other} sind Listen, und ein Index kann nur eine enthalten',
  'fault.declare.indexPaths':
    'Ein Index enthält höchstens {limit} Attribut | Ein Index enthält höchstens {limit} Attribute',
  'fault.declare.indexPlace': 'Nennen Sie dieses Attribut in options.indexes des Inhaltstyps',
  'fault.declare.indexShape':
    'Das muss eine Liste von Indizes sein, jeder eine Liste von Attributen wie ["views:desc", "seo.title"]',
  'fault.declare.indexTwice': '{name} kommt zweimal vor',
  'fault.declare.indexType': 'Attribute vom Typ {type} haben keinen Index',
  'fault.declare.inverseSide': 'oneToMany ist die Gegenseite. Verwenden Sie mappedBy.',
  'fault.declare.link': '{name} ist ein symbolischer Link. Die Dateien sind unverändert.',
  'fault.declare.nameForm':
    'Ein Name beginnt mit einem Buchstaben und enthält nur Buchstaben, Ziffern, _ und -',
  'fault.declare.nameReserved': 'Dieser Name ist reserviert. Wählen Sie einen anderen.',
  'fault.declare.noAttribute': 'Es gibt kein Attribut {name}',
  'fault.declare.noAttributeOf': '{type} hat kein Attribut {name}',
  'fault.declare.noAttributes': 'Die Datei deklariert keine Attribute',
  'fault.declare.noComponent': 'Es gibt keine Komponente {name}',
  'fault.declare.noContentType': 'Es gibt keinen Inhaltstyp {name}',
  'fault.declare.noOption': 'Diese Option gibt es nicht',
  'fault.declare.noType': 'Es gibt keinen Attributtyp {name}',
  'fault.declare.notObject': 'Ein Attribut muss ein Objekt mit einem Typ sein',
  'fault.declare.oneType': 'Wählen Sie {valids}',
  'fault.declare.oneWay':
    'Eine Beziehung in einer Komponente hat nur eine Seite. Lassen Sie das weg.',
  'fault.declare.otherKind': '{name} von {type} muss {wanted} sein, nicht {kind}',
  'fault.declare.otherType': '{name} von {type} ist keine Beziehung zu {holder}',
  'fault.declare.owningSide': 'manyToOne ist die besitzende Seite. Verwenden Sie inversedBy.',
  'fault.declare.pointsBack':
    '{name} von {type} zeigt nicht zurück. Dort fehlt {option}: {attribute}.',
  'fault.declare.populate': 'Die Vorgabe für populate passt nicht zu diesen Typen',
  'fault.declare.previewAddress': 'Die Adresse muss mit http:// oder https:// beginnen',
  'fault.declare.previewPlace': 'Den Platzhalter {name} gibt es nicht. Verwenden Sie {valids}.',
  'fault.declare.reviewDrafts':
    'Nur Entwürfe werden geprüft. Schalten Sie „Entwurf und Veröffentlichung“ ein.',
  'fault.declare.reviewPublish': 'Verwenden Sie die letzte Stufe, {name}',
  'fault.declare.query': 'Die benannte Abfrage {name} passt nicht zu diesen Typen',
  'fault.declare.regex': 'Das ist kein gültiger regulärer Ausdruck',
  'fault.declare.routeForm':
    '{name} kann kein Teil einer Adresse sein. Verwenden Sie Buchstaben, Ziffern und Bindestriche.',
  'fault.declare.routeReserved': '/api/{name} gehört dem Server. Wählen Sie einen anderen Namen.',
  'fault.declare.routeTaken': '{name} ist schon ein Name von {type}',
  'fault.declare.searchPrivate': '{name} ist privat und lässt sich nicht durchsuchen',
  'fault.declare.searchType': '{name} hat den Typ {type}, der keinen Text enthält',
  'fault.declare.singularName':
    'Der Name in der Einzahl muss {name} bleiben, weil gespeicherte Inhalte ihn verwenden',
  'fault.declare.studioCondition':
    'Die Bedingung muss Attribute desselben Eintrags oder derselben Komponente vergleichen',
  'fault.declare.studioOperand': '{option} passt nicht zum Attribut {name}',
  'fault.declare.studioText':
    'Der Text darf höchstens {limit} Zeichen haben. Texte gibt es nur für diese Sprachen: {valids}.',
  'fault.declare.studioValue': 'Das Attribut hat keinen Wert {name}',
  'fault.declare.typeUid': '{name} ist keine UID eines Inhaltstyps. Beispiel: api::recipe.recipe',
  'fault.declare.stored': 'Mit diesen Typen kann der Server nicht starten: {name}',
  'fault.declare.unreadable': 'Die Datei ist nicht als JSON lesbar',
  'fault.declare.urlAddress':
    'Die Adresse muss ein Pfad wie /articles/… sein oder mit http:// oder https:// beginnen',
  'fault.declare.urlPrivate': '{name} ist privat und darf in keiner Adresse stehen',
  'fault.declare.urlType': 'Ein Wert von {name} ({type}) passt nicht in eine Adresse',
  'fault.declare.userDeleteMany': 'delete braucht eine Beziehung zu einem einzigen Benutzer',
  'fault.declare.userDeletePlace':
    'Nur eine Beziehung zu App-Benutzern, die dieser Inhaltstyp speichert, kann diese Option haben',
  'fault.declare.userDeleteRequired':
    'Eine erforderliche Beziehung kann nicht geleert werden. Verwenden Sie delete oder keep.',
}
