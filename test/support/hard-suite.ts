// Loaded by `npm run test:hard`, where model tests run longer.
process.env['QUIRE_TEST_HARD'] = 'on'
