// Names of the IANA time zone database (2025b) that a check may carry, by area; `''` holds those without one. The
// reference lacks America/Coyhaique.
export const namesByArea: Readonly<Record<string, string>> = {
  '': `
    GMT UTC
  `,
  Africa: `
    Abidjan Accra Addis_Ababa Algiers Asmara Bamako Bangui Banjul Bissau Blantyre Brazzaville Bujumbura
    Cairo Casablanca Ceuta Conakry Dakar Dar_es_Salaam Djibouti Douala El_Aaiun Freetown Gaborone Harare
    Johannesburg Juba Kampala Khartoum Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka
    Malabo Maputo Maseru Mbabane Mogadishu Monrovia Nairobi Ndjamena Niamey Nouakchott Ouagadougou
    Porto-Novo Sao_Tome Timbuktu Tripoli Tunis Windhoek
  `,
  America: `
    Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca
    Argentina/Cordoba Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos
    Argentina/Salta Argentina/San_Juan Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Aruba
    Asuncion Atikokan Atka Bahia Bahia_Banderas Barbados Belem Belize Blanc-Sablon Boa_Vista Bogota
    Boise Cambridge_Bay Campo_Grande Cancun Caracas Cayenne Cayman Chicago Chihuahua Ciudad_Juarez
    Coral_Harbour Costa_Rica Coyhaique Creston Cuiaba Curacao Danmarkshavn Dawson Dawson_Creek Denver Detroit
    Dominica Edmonton Eirunepe El_Salvador Ensenada Fort_Nelson Fortaleza Glace_Bay Goose_Bay Grand_Turk
    Grenada Guadeloupe Guatemala Guayaquil Guyana Halifax Havana Hermosillo Indiana/Indianapolis
    Indiana/Knox Indiana/Marengo Indiana/Petersburg Indiana/Tell_City Indiana/Vevay Indiana/Vincennes
    Indiana/Winamac Inuvik Iqaluit Jamaica Juneau Kentucky/Louisville Kentucky/Monticello Kralendijk
    La_Paz Lima Los_Angeles Lower_Princes Maceio Managua Manaus Marigot Martinique Matamoros Mazatlan
    Menominee Merida Metlakatla Mexico_City Miquelon Moncton Monterrey Montevideo Montreal Montserrat
    Nassau New_York Nipigon Nome Noronha North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem
    Nuuk Ojinaga Panama Pangnirtung Paramaribo Phoenix Port-au-Prince Port_of_Spain Porto_Acre
    Porto_Velho Puerto_Rico Punta_Arenas Rainy_River Rankin_Inlet Recife Regina Resolute Rio_Branco
    Santa_Isabel Santarem Santiago Santo_Domingo Sao_Paulo Scoresbysund Shiprock Sitka St_Barthelemy
    St_Johns St_Kitts St_Lucia St_Thomas St_Vincent Swift_Current Tegucigalpa Thule Thunder_Bay Tijuana
    Toronto Tortola Vancouver Virgin Whitehorse Winnipeg Yakutat Yellowknife
  `,
  Antarctica: `
    Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera Syowa Troll Vostok
  `,
  Arctic: `
    Longyearbyen
  `,
  Asia: `
    Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Atyrau Baghdad Bahrain Baku Bangkok Barnaul Beirut
    Bishkek Brunei Chita Chongqing Colombo Damascus Dhaka Dili Dubai Dushanbe Famagusta Gaza Harbin
    Hebron Ho_Chi_Minh Hong_Kong Hovd Irkutsk Istanbul Jakarta Jayapura Jerusalem Kabul Kamchatka
    Karachi Kashgar Kathmandu Khandyga Kolkata Krasnoyarsk Kuala_Lumpur Kuching Kuwait Macau Magadan
    Makassar Manila Muscat Nicosia Novokuznetsk Novosibirsk Omsk Oral Phnom_Penh Pontianak Pyongyang
    Qatar Qostanay Qyzylorda Riyadh Sakhalin Samarkand Seoul Shanghai Singapore Srednekolymsk Taipei
    Tashkent Tbilisi Tehran Tel_Aviv Thimphu Tokyo Tomsk Ulaanbaatar Urumqi Ust-Nera Vientiane
    Vladivostok Yakutsk Yangon Yekaterinburg Yerevan
  `,
  Atlantic: `
    Azores Bermuda Canary Cape_Verde Faroe Jan_Mayen Madeira Reykjavik South_Georgia St_Helena Stanley
  `,
  Australia: `
    Adelaide Brisbane Broken_Hill Canberra Currie Darwin Eucla Hobart Lindeman Lord_Howe Melbourne Perth
    Sydney Yancowinna
  `,
  Etc: `
    GMT GMT+0 GMT+1 GMT+10 GMT+11 GMT+12 GMT+2 GMT+3 GMT+4 GMT+5 GMT+6 GMT+7 GMT+8 GMT+9 GMT-0 GMT-1
    GMT-10 GMT-11 GMT-12 GMT-13 GMT-14 GMT-2 GMT-3 GMT-4 GMT-5 GMT-6 GMT-7 GMT-8 GMT-9 GMT0 Greenwich
    UCT UTC Universal Zulu
  `,
  Europe: `
    Amsterdam Andorra Astrakhan Athens Belfast Belgrade Berlin Bratislava Brussels Bucharest Budapest
    Busingen Chisinau Copenhagen Dublin Gibraltar Guernsey Helsinki Isle_of_Man Istanbul Jersey
    Kaliningrad Kirov Kyiv Lisbon Ljubljana London Luxembourg Madrid Malta Mariehamn Minsk Monaco Moscow
    Nicosia Oslo Paris Podgorica Prague Riga Rome Samara San_Marino Sarajevo Saratov Simferopol Skopje
    Sofia Stockholm Tallinn Tirane Tiraspol Ulyanovsk Vaduz Vatican Vienna Vilnius Volgograd Warsaw
    Zagreb Zurich
  `,
  Indian: `
    Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion
  `,
  Pacific: `
    Apia Auckland Bougainville Chatham Chuuk Easter Efate Fakaofo Fiji Funafuti Galapagos Gambier
    Guadalcanal Guam Honolulu Johnston Kanton Kiritimati Kosrae Kwajalein Majuro Marquesas Midway Nauru
    Niue Norfolk Noumea Pago_Pago Palau Pitcairn Pohnpei Port_Moresby Rarotonga Saipan Samoa Tahiti
    Tarawa Tongatapu Wake Wallis Yap
  `,
};

// Names that the database keeps only as links to a current one: `legacy=current`.
export const legacyNames = `
  Iceland=Africa/Abidjan Egypt=Africa/Cairo Africa/Asmera=Africa/Nairobi Libya=Africa/Tripoli
  US/Aleutian=America/Adak US/Alaska=America/Anchorage America/Buenos_Aires=America/Argentina/Buenos_Aires
  America/Argentina/ComodRivadavia=America/Argentina/Catamarca
  America/Catamarca=America/Argentina/Catamarca America/Cordoba=America/Argentina/Cordoba
  America/Rosario=America/Argentina/Cordoba America/Jujuy=America/Argentina/Jujuy
  America/Mendoza=America/Argentina/Mendoza CST6CDT=America/Chicago US/Central=America/Chicago
  MST7MDT=America/Denver Navajo=America/Denver US/Mountain=America/Denver US/Michigan=America/Detroit
  Canada/Mountain=America/Edmonton Canada/Atlantic=America/Halifax Cuba=America/Havana
  America/Fort_Wayne=America/Indiana/Indianapolis America/Indianapolis=America/Indiana/Indianapolis
  US/East-Indiana=America/Indiana/Indianapolis America/Knox_IN=America/Indiana/Knox
  US/Indiana-Starke=America/Indiana/Knox Jamaica=America/Jamaica
  America/Louisville=America/Kentucky/Louisville PST8PDT=America/Los_Angeles
  US/Pacific=America/Los_Angeles Brazil/West=America/Manaus Mexico/BajaSur=America/Mazatlan
  Mexico/General=America/Mexico_City EST5EDT=America/New_York US/Eastern=America/New_York
  Brazil/DeNoronha=America/Noronha America/Godthab=America/Nuuk EST=America/Panama MST=America/Phoenix
  US/Arizona=America/Phoenix Canada/Saskatchewan=America/Regina Brazil/Acre=America/Rio_Branco
  Chile/Continental=America/Santiago Brazil/East=America/Sao_Paulo Canada/Newfoundland=America/St_Johns
  Mexico/BajaNorte=America/Tijuana Canada/Eastern=America/Toronto Canada/Pacific=America/Vancouver
  Canada/Yukon=America/Whitehorse Canada/Central=America/Winnipeg Asia/Ashkhabad=Asia/Ashgabat
  Asia/Dacca=Asia/Dhaka Asia/Saigon=Asia/Ho_Chi_Minh Hongkong=Asia/Hong_Kong Israel=Asia/Jerusalem
  Asia/Katmandu=Asia/Kathmandu Asia/Calcutta=Asia/Kolkata Asia/Macao=Asia/Macau
  Asia/Ujung_Pandang=Asia/Makassar ROK=Asia/Seoul Asia/Chungking=Asia/Shanghai PRC=Asia/Shanghai
  Singapore=Asia/Singapore ROC=Asia/Taipei Iran=Asia/Tehran Asia/Thimbu=Asia/Thimphu Japan=Asia/Tokyo
  Asia/Choibalsan=Asia/Ulaanbaatar Asia/Ulan_Bator=Asia/Ulaanbaatar Asia/Rangoon=Asia/Yangon
  Atlantic/Faeroe=Atlantic/Faroe Australia/South=Australia/Adelaide
  Australia/Queensland=Australia/Brisbane Australia/North=Australia/Darwin
  Australia/Tasmania=Australia/Hobart Australia/LHI=Australia/Lord_Howe
  Australia/Victoria=Australia/Melbourne Australia/West=Australia/Perth Australia/ACT=Australia/Sydney
  Australia/NSW=Australia/Sydney GMT+0=Etc/GMT GMT-0=Etc/GMT GMT0=Etc/GMT Greenwich=Etc/GMT UCT=Etc/UTC
  Universal=Etc/UTC Zulu=Etc/UTC EET=Europe/Athens CET=Europe/Brussels MET=Europe/Brussels
  Eire=Europe/Dublin Turkey=Europe/Istanbul Europe/Kiev=Europe/Kyiv Europe/Uzhgorod=Europe/Kyiv
  Europe/Zaporozhye=Europe/Kyiv Portugal=Europe/Lisbon WET=Europe/Lisbon GB=Europe/London
  GB-Eire=Europe/London W-SU=Europe/Moscow Poland=Europe/Warsaw Antarctica/South_Pole=Pacific/Auckland
  NZ=Pacific/Auckland NZ-CHAT=Pacific/Chatham Chile/EasterIsland=Pacific/Easter
  Pacific/Ponape=Pacific/Guadalcanal HST=Pacific/Honolulu US/Hawaii=Pacific/Honolulu
  Pacific/Enderbury=Pacific/Kanton Kwajalein=Pacific/Kwajalein US/Samoa=Pacific/Pago_Pago
  Pacific/Truk=Pacific/Port_Moresby
`;
