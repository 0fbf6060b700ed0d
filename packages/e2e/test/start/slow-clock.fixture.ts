// Loaded before `npm start` of a test: a minute of its clock takes an hour, as six starts may take on a slow machine.
const now = performance.now.bind(performance);
performance.now = () => now() / 60;
