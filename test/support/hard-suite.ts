// Required by `npm run test:hard`: models run for longer there.
process.env['QUIRE_TEST_HARD'] = 'on'
