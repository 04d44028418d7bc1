/** Faults of the type editor. */
export const declareFaultEnglish = {
  'fault.near': '{text}. Did you mean {near}?',
  'fault.declare.aboveLimit': 'This must not be above {option} ({limit})',
  'fault.declare.bothSides': 'A side has either inversedBy or mappedBy, not both',
  'fault.declare.collection': 'Use letters, digits and _',
  'fault.declare.adoptInverse':
    '{type} would write its one-to-one relations into this collection, which is only read',
  'fault.declare.adoptLevels':
    'The components of an adopted collection are nested at most {limit} levels deep',
  'fault.declare.adoptOption': 'An adopted collection does not support this. Leave it out.',
  'fault.declare.adoptPaths':
    '{name} and {other} overlap, so they cannot both be written: set "writable": false for one',
  'fault.declare.adoptType': 'An adopted collection has no attributes of type {type}',
  'fault.declare.collectionReserved': 'Collections that begin with quire_ belong to the server',
  'fault.declare.convert': 'Must be "null" or a time zone, such as {"timeZone": "Europe/Berlin"}',
  'fault.declare.convertLoses':
    'Stored values of type {kind} that do not fit {type}: {amount}. To remove them, add "convert": "null" to the attribute in its file.',
  'fault.declare.convertValues':
    'Stored values of type {kind} that do not fit {type}: {amount}. To rename values, add "from": {"old": "new"} to the attribute in its file. To remove them, add "convert": "null".',
  'fault.declare.renamedValue':
    '{name} becomes {wanted}: the values must include {wanted}, and must not include {name}',
  'fault.declare.convertZone':
    'Stored values of type {kind} that need a time zone to become {type}: {amount}. Add "convert": {"timeZone": "UTC"} or another zone to the attribute in its file.',
  'fault.declare.aliasTaken': '{name} is already the name of an attribute or alias',
  'fault.declare.collectionTaken': 'The collection {name} already belongs to {type}',
  'fault.declare.componentUid': '{name} is not the uid of a component. Example: shared.link',
  'fault.declare.defaultBlocks': 'The default value is not valid rich text',
  'fault.declare.duplicate': '{name} is already declared in {file}',
  'fault.declare.endless':
    'This component requires another one that requires this one. Make one of them optional.',
  'fault.declare.filterDepth': 'A filter may pass through at most one relation or component',
  'fault.declare.filterHolder': 'There is no relation or component {name}',
  'fault.declare.filterName': 'There is no attribute {name} that can be filtered',
  'fault.declare.gone': 'There is no declaration of {name}',
  'fault.declare.indexComponent': '{name} is a component. Name an attribute in it.',
  'fault.declare.indexInside': '{name} is not a component',
  'fault.declare.indexInverse': '{name} is stored on the other side, which has an index',
  'fault.declare.indexLists': '{name} and {other} are lists, and an index can contain only one',
  'fault.declare.indexPaths':
    'An index takes at most {limit} attribute | An index takes at most {limit} attributes',
  'fault.declare.indexPlace': 'Name this attribute in options.indexes of the content-type',
  'fault.declare.indexShape':
    'This must be a list of indexes, each a list of attributes such as ["views:desc", "seo.title"]',
  'fault.declare.indexTwice': '{name} appears twice',
  'fault.declare.indexType': 'Attributes of type {type} have no index',
  'fault.declare.inverseSide': 'oneToMany is the inverse side. Use mappedBy.',
  'fault.declare.link': '{name} is a symbolic link. The files are unchanged.',
  'fault.declare.nameForm':
    'A name starts with a letter and contains only letters, digits, _ and -',
  'fault.declare.nameReserved': 'This name is reserved. Choose another one.',
  'fault.declare.noAttribute': 'There is no attribute {name}',
  'fault.declare.noAttributeOf': '{type} has no attribute {name}',
  'fault.declare.noAttributes': 'The file declares no attributes',
  'fault.declare.noComponent': 'There is no component {name}',
  'fault.declare.noContentType': 'There is no content-type {name}',
  'fault.declare.noOption': 'This option does not exist',
  'fault.declare.noType': 'There is no attribute type {name}',
  'fault.declare.notObject': 'An attribute must be an object with a type',
  'fault.declare.oneType': 'Choose one of {valids}',
  'fault.declare.oneWay': 'A relation in a component has one side. Leave this out.',
  'fault.declare.otherKind': '{name} of {type} must be {wanted}, not {kind}',
  'fault.declare.otherType': '{name} of {type} is not a relation to {holder}',
  'fault.declare.owningSide': 'manyToOne is the owning side. Use inversedBy.',
  'fault.declare.pointsBack':
    '{name} of {type} does not point back. It needs {option}: {attribute}.',
  'fault.declare.populate': 'The default populate does not match these types',
  'fault.declare.previewAddress': 'The address must start with http:// or https://',
  'fault.declare.previewPlace': 'The placeholder {name} does not exist. Use {valids}.',
  'fault.declare.reviewDrafts': 'Only drafts are reviewed. Turn on “Draft & publish”.',
  'fault.declare.reviewPublish': 'Use the last stage, {name}',
  'fault.declare.query': 'The named query {name} does not match these types',
  'fault.declare.regex': 'This is not a valid regular expression',
  'fault.declare.routeForm':
    '{name} cannot be part of an address. Use letters, digits and hyphens.',
  'fault.declare.routeReserved': '/api/{name} belongs to the server. Choose another name.',
  'fault.declare.routeTaken': '{name} is already a name of {type}',
  'fault.declare.searchPrivate': '{name} is private and cannot be searched',
  'fault.declare.searchType': '{name} has the type {type}, which contains no text',
  'fault.declare.singularName':
    'The singular name must stay {name}, because stored content uses it',
  'fault.declare.studioCondition':
    'The condition must compare attributes of the same entry or component',
  'fault.declare.studioOperand': '{option} does not fit the attribute {name}',
  'fault.declare.studioText':
    'The text must have at most {limit} characters. Only these languages have texts: {valids}.',
  'fault.declare.studioValue': 'The attribute has no value {name}',
  'fault.declare.typeUid': '{name} is not the uid of a content-type. Example: api::recipe.recipe',
  'fault.declare.stored': 'The server cannot start with these types: {name}',
  'fault.declare.unreadable': 'The file cannot be read as JSON',
  'fault.declare.urlAddress':
    'The address must be a path such as /articles/…, or start with http:// or https://',
  'fault.declare.urlPrivate': '{name} is private, so no address may show it',
  'fault.declare.urlType': 'A value of {name} ({type}) does not fit into an address',
  'fault.declare.userDeleteMany': 'delete needs a relation to one user',
  'fault.declare.userDeletePlace':
    'Only a relation to app users that this content type stores can have this option',
  'fault.declare.userDeleteRequired': 'A required relation cannot be cleared. Use delete or keep.',
} as const
