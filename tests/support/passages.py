"""Prose and menus in many languages, written for the tests."""

from __future__ import annotations

# A few sentences as a newspaper would have them.
PROSE = {
    "af": "Die ou brug oor die rivier is gister weer oopgemaak nadat werkers dit vir "
    "maande herstel het. Baie mense het gekom om te kyk, en die kinders was die "
    "eerstes wat daaroor kon loop. Niemand het geweet wat dit alles sou kos nie.",
    "ar": "فتح الجسر القديم فوق النهر أمس بعد أن عمل العمال على إصلاحه عدة أشهر. جاء كثير "
    "من الناس إلى المكان لكي يروا ذلك، وكان الأطفال أول من مشى عليه. ولم يكن أحد يعرف كم "
    "سوف يكلف هذا العمل، لكن المدينة قالت إن ذلك كان ضروريا.",
    "bg": "Старият мост над реката беше отворен вчера, след като работниците го "
    "поправяха няколко месеца. Много хора дойдоха, за да го видят, а децата бяха "
    "първите, които минаха по него. Никой не знаеше колко ще струва всичко това.",
    "cs": "Starý most přes řeku byl včera znovu otevřen poté, co ho dělníci několik "
    "měsíců opravovali. Mnoho lidí se přišlo podívat a děti byly první, které po něm "
    "mohly přejít. Nikdo ale nevěděl, kolik to všechno bude stát, a ani proč.",
    "da": "Den gamle bro over floden blev åbnet igen i går, efter at arbejderne havde "
    "været i gang med den i flere måneder. Mange mennesker kom for at se på, og børnene "
    "var de første, der måtte gå over den. Ingen vidste, hvad det hele ville koste.",
    "de": "Die alte Brücke über den Fluss wurde gestern wieder geöffnet, nachdem sie "
    "mehrere Monate lang repariert worden war. Viele Leute kamen, um sie sich "
    "anzusehen, und die Kinder waren die ersten, die hinüber gehen durften.",
    "el": "Η παλιά γέφυρα πάνω από το ποτάμι άνοιξε πάλι χθες, αφού οι εργάτες την "
    "επισκεύαζαν για πολλούς μήνες. Πολλοί άνθρωποι ήρθαν για να τη δουν και τα παιδιά "
    "ήταν τα πρώτα που πέρασαν από εκεί. Κανείς δεν ήξερε πόσο θα κοστίσει.",
    "en": "The old bridge over the river was opened again yesterday after it had been "
    "under repair for several months. Many people came to see it, and the children "
    "were the first who were allowed to walk across. Nobody knew what it would cost.",
    "es": "El viejo puente sobre el río fue abierto de nuevo ayer, después de que lo "
    "repararan durante varios meses. Mucha gente vino a verlo, y los niños fueron los "
    "primeros que pudieron pasar por él. Nadie sabía cuánto iba a costar todo esto.",
    "fa": "پل قدیمی روی رودخانه دیروز پس از آن که کارگران چند ماه آن را تعمیر کردند باز شد. "
    "مردم زیادی آمدند تا آن را ببینند و کودکان نخستین کسانی بودند که از آن گذشتند. هیچ کس "
    "نمی دانست که این کار چقدر هزینه خواهد داشت اما شهر گفت که لازم بوده است.",
    "fi": "Joen yli vievä vanha silta avattiin eilen uudelleen, kun sitä oli korjattu "
    "monta kuukautta. Paikalle tuli paljon ihmisiä, ja lapset olivat ensimmäiset, jotka "
    "saivat kävellä sen yli. Kukaan ei tiennyt, mitä se kaikki tulisi maksamaan.",
    "fr": "Le vieux pont sur la rivière a été rouvert hier, après que les ouvriers "
    "l'ont réparé pendant plusieurs mois. Beaucoup de gens sont venus pour le voir, et "
    "les enfants ont été les premiers à le traverser. Personne ne savait ce que cela "
    "allait coûter.",
    "he": "הגשר הישן מעל הנהר נפתח שוב אתמול אחרי שעבדו עליו במשך כמה חודשים. אנשים רבים "
    "באו לראות אותו, והילדים היו הראשונים שעברו עליו. אף אחד לא ידע כמה זה יעלה, אבל העיר "
    "אמרה כי אין ברירה וכי יש לעשות את זה גם אם הוא יקר מאוד.",
    "hi": "नदी के ऊपर का पुराना पुल कल फिर से खोल दिया गया, जब मजदूरों ने कई महीनों तक उस पर काम "
    "किया था। बहुत से लोग उसे देखने के लिए आए और बच्चे सबसे पहले उस पर चले। किसी को नहीं पता था "
    "कि इस सब पर कितना खर्च होगा, लेकिन शहर ने कहा कि यह जरूरी था।",
    "hu": "A folyó fölötti régi hidat tegnap újra megnyitották, miután több hónapig "
    "javították. Sok ember jött el, hogy megnézze, és a gyerekek voltak az elsők, akik "
    "át is mehettek rajta. Senki sem tudta, hogy ez mennyibe fog majd kerülni.",
    "id": "Jembatan tua di atas sungai itu dibuka lagi kemarin setelah para pekerja "
    "memperbaikinya selama beberapa bulan. Banyak orang datang untuk melihatnya, dan "
    "anak-anak adalah yang pertama berjalan di atasnya. Tidak ada yang tahu berapa "
    "biaya untuk semua itu.",
    "it": "Il vecchio ponte sul fiume è stato riaperto ieri, dopo che gli operai lo "
    "hanno riparato per diversi mesi. Molta gente è venuta a vederlo, e i bambini sono "
    "stati i primi che hanno potuto passare. Nessuno sapeva quanto sarebbe costato.",
    "nl": "De oude brug over de rivier is gisteren weer geopend nadat er maanden aan "
    "was gewerkt. Veel mensen kwamen om te kijken, en de kinderen waren de eersten die "
    "er overheen mochten lopen. Niemand wist wat het allemaal zou gaan kosten.",
    "pl": "Stary most nad rzeką został wczoraj znowu otwarty po tym, jak robotnicy "
    "naprawiali go przez kilka miesięcy. Wielu ludzi przyszło, aby go zobaczyć, a dzieci "
    "były pierwsze, które mogły po nim przejść. Nikt nie wiedział, ile to będzie "
    "kosztować.",
    "pt": "A velha ponte sobre o rio foi aberta de novo ontem, depois de ter estado em "
    "obras durante vários meses. Muitas pessoas vieram para a ver, e as crianças foram "
    "as primeiras que puderam passar por ela. Ninguém sabia quanto isso ia custar.",
    "ro": "Vechiul pod peste râu a fost deschis din nou ieri, după ce muncitorii au "
    "lucrat la el mai multe luni. Mulți oameni au venit să îl vadă, iar copiii au fost "
    "primii care au putut să treacă. Nimeni nu știa cât o să coste toate acestea.",
    "ru": "Старый мост через реку вчера снова открыли после того, как его несколько "
    "месяцев ремонтировали. Много людей пришло, чтобы на него посмотреть, и дети были "
    "первыми, кто по нему прошёл. Никто не знал, сколько всё это будет стоить.",
    "sv": "Den gamla bron över floden öppnades igen i går efter att den hade lagats i "
    "flera månader. Många människor kom för att se på, och barnen var de första som "
    "fick gå över den. Ingen visste vad det hela skulle komma att kosta.",
    "tr": "Nehrin üzerindeki eski köprü, işçiler onu birkaç ay boyunca onardıktan sonra "
    "dün yeniden açıldı. Pek çok insan onu görmek için geldi ve ilk geçenler çocuklar "
    "oldu. Hiç kimse bunun ne kadar tutacağını bilmiyordu ama kent için çok gerekli idi.",
    "uk": "Старий міст через річку вчора знову відкрили після того, як його кілька "
    "місяців ремонтували. Багато людей прийшло, щоб на нього подивитися, і діти були "
    "першими, хто по ньому пройшов. Ніхто не знав, скільки все це буде коштувати.",
    "vi": "Cây cầu cũ bắc qua sông đã được mở lại vào hôm qua sau khi các công nhân sửa "
    "nó trong nhiều tháng. Rất nhiều người đã đến để xem, và trẻ em là những người đầu "
    "tiên được đi qua. Không ai biết tất cả những việc này sẽ tốn bao nhiêu.",
}

# Prose in the languages that are measured by character.
UNSPACED_PROSE = {
    "zh": "河上的旧桥经过几个月的修理，昨天又开放了。很多人来看，孩子们是最先走过去的。没有人知道"
    "这一切要花多少钱，但是市政府说这是必要的，因为旧的木头已经不能再用了。一位老人告诉我们，他"
    "小时候常常和父亲一起在这座桥上钓鱼，现在他可以带着自己的孙子来了。",
    "zh-Hant": "河上的舊橋經過幾個月的修理，昨天又開放了。很多人來看，孩子們是最先走過去的。沒有人"
    "知道這一切要花多少錢，但是市政府說這是必要的，因為舊的木頭已經不能再用了。一位老人告訴我們，"
    "他小時候常常和父親一起在這座橋上釣魚，現在他可以帶著自己的孫子來了。",
    "ja": "川にかかる古い橋が、何か月もかけて直されたあと、きのう再び開かれた。大勢の人が見に来て、"
    "最初に渡ったのは子どもたちだった。いくらかかるのかはだれも知らなかったが、古い木がもう使えな"
    "くなっていたので必要だったと市は説明している。ある老人は、父と一緒にこの橋の上でよく釣りをし"
    "たものだと話してくれた。",
    "ko": "강 위의 오래된 다리가 몇 달 동안 고쳐진 뒤 어제 다시 열렸다. 많은 사람들이 보러 왔고, 가장 "
    "먼저 건너간 것은 아이들이었다. 이 모든 일에 돈이 얼마나 드는지 아는 사람은 없었지만, 시는 낡은 "
    "나무를 더 이상 쓸 수 없었기 때문에 꼭 필요한 일이었다고 말했다. 한 노인은 어릴 때 아버지와 함께 "
    "이 다리 위에서 낚시를 하곤 했다고 우리에게 이야기해 주었다.",
    "th": "สะพานเก่าที่ข้ามแม่น้ำได้เปิดอีกครั้งเมื่อวานนี้หลังจากที่คนงานซ่อมมันอยู่หลายเดือน มีคนจำนวนมากมาดู "
    "และเด็กๆ เป็นคนกลุ่มแรกที่ได้เดินข้าม ไม่มีใครรู้ว่าทั้งหมดนี้จะต้องใช้เงินเท่าไร แต่เมืองบอกว่ามันจำเป็น "
    "เพราะไม้เก่าใช้ไม่ได้แล้ว ชายชราคนหนึ่งเล่าให้เราฟังว่าตอนที่เขายังเป็นเด็กเขาเคยมาตกปลากับพ่อที่นี่",
    "lo": "ຂົວເກົ່າຂ້າມແມ່ນໍ້າໄດ້ເປີດອີກຄັ້ງໃນມື້ວານນີ້ຫຼັງຈາກທີ່ຄົນງານໄດ້ສ້ອມແປງມັນຢູ່ຫຼາຍເດືອນ ມີຄົນຈໍານວນຫຼາຍມາເບິ່ງ "
    "ແລະເດັກນ້ອຍເປັນຄົນກຸ່ມທໍາອິດທີ່ໄດ້ຍ່າງຂ້າມ ບໍ່ມີໃຜຮູ້ວ່າທັງໝົດນີ້ຈະຕ້ອງໃຊ້ເງິນເທົ່າໃດ ແຕ່ເມືອງບອກວ່າມັນຈໍາເປັນ "
    "ເພາະວ່າໄມ້ເກົ່າໃຊ້ບໍ່ໄດ້ແລ້ວ ຜູ້ເຖົ້າຄົນໜຶ່ງເລົ່າໃຫ້ພວກເຮົາຟັງ",
    "km": "ស្ពានចាស់ឆ្លងកាត់ទន្លេត្រូវបានបើកឡើងវិញកាលពីម្សិលមិញ បន្ទាប់ពីកម្មករបានជួសជុលវាអស់ជាច្រើនខែ។ "
    "មានមនុស្សជាច្រើនបានមកមើល ហើយក្មេងៗជាអ្នកដំបូងដែលបានដើរឆ្លងកាត់។ គ្មាននរណាដឹងថាវានឹងត្រូវចំណាយប៉ុន្មានទេ "
    "ប៉ុន្តែទីក្រុងបាននិយាយថាវាជាការចាំបាច់ ព្រោះឈើចាស់មិនអាចប្រើបានទៀត។",
    "my": "မြစ်ပေါ်ရှိ တံတားဟောင်းကို လပေါင်းများစွာ ပြင်ဆင်ပြီးနောက် မနေ့က ပြန်ဖွင့်ခဲ့သည်။ လူများစွာ လာရောက် "
    "ကြည့်ရှုခဲ့ကြပြီး ကလေးများသည် ပထမဆုံး ဖြတ်လျှောက်သူများ ဖြစ်ကြသည်။ ဤအရာအားလုံးအတွက် ငွေမည်မျှ "
    "ကုန်ကျမည်ကို မည်သူမျှ မသိသော်လည်း သစ်သားဟောင်းများကို အသုံးမပြုနိုင်တော့သောကြောင့် လိုအပ်သည်ဟု ဆိုသည်။",
}

# Menus and lists of products in these languages.
UNSPACED_MENUS = {
    "zh": "首页 新闻中心 体育频道 财经资讯 娱乐 科技数码 汽车 房产家居 教育培训 旅游攻略 健康养生 "
    "图片视频 专题报道 论坛社区 联系电话 客户服务 广告合作 网站地图 版权声明 手机版 电子邮箱 登录注册",
    "zh-Hant": "首頁 新聞中心 體育頻道 財經資訊 娛樂 科技數碼 汽車 房產家居 教育培訓 旅遊攻略 健康養生 "
    "圖片影片 專題報導 論壇社群 聯絡電話 客戶服務 廣告合作 網站地圖 版權聲明 手機版 電子郵箱 登入註冊",
    "ja": "会社概要 製品情報 採用情報 株主投資家情報 ニュースリリース サイトマップ プライバシーポリシー "
    "スポーツ 経済 国際 社会 地域 天気予報 動画 写真特集 新着記事 人気ランキング 会員登録 ログイン 利用規約",
    "ko": "회사소개 제품정보 고객센터 공지사항 채용정보 사이트맵 개인정보처리방침 이용약관 로그인 회원가입 "
    "스포츠 경제 국제 사회 문화 연예 날씨 동영상 포토 인기뉴스 최신뉴스 광고문의 찾아오시는길",
    "th": "หน้าแรก ข่าว กีฬา บันเทิง เศรษฐกิจ เทคโนโลยี รถยนต์ สุขภาพ ท่องเที่ยว อาหาร แฟชั่น ดูดวง วิดีโอ "
    "รูปภาพ สินค้าใหม่ โปรโมชั่น ตะกร้าสินค้า เข้าสู่ระบบ สมัครสมาชิก ติดต่อเรา แผนผังเว็บไซต์ นโยบายส่วนบุคคล",
    "lo": "ໜ້າຫຼັກ ຂ່າວ ກິລາ ບັນເທີງ ເສດຖະກິດ ເຕັກໂນໂລຊີ ລົດຍົນ ສຸຂະພາບ ທ່ອງທ່ຽວ ອາຫານ ວິດີໂອ ຮູບພາບ ສິນຄ້າໃໝ່ "
    "ໂປຣໂມຊັນ ສະໝັກສະມາຊິກ ຕິດຕໍ່ ແຜນຜັງເວັບໄຊ ພາສາ",
    "km": "ទំព័រដើម ព័ត៌មាន កីឡា កម្សាន្ត សេដ្ឋកិច្ច បច្ចេកវិទ្យា រថយន្ត សុខភាព ទេសចរណ៍ អាហារ វីដេអូ រូបភាព ផលិតផលថ្មី "
    "ទំនាក់ទំនង ផែនទីគេហទំព័រ ភាសា គណនី",
    "my": "ပင်မစာမျက်နှာ သတင်း အားကစား ဖျော်ဖြေရေး စီးပွားရေး နည်းပညာ မော်တော်ကား ကျန်းမာရေး ခရီးသွား အစားအစာ "
    "ဗီဒီယို ဓာတ်ပုံ ထုတ်ကုန်အသစ် ဆက်သွယ်ရန် ဘာသာစကား",
}

# A passage of a story, and one as it stands at the foot of pages.
STORY = (
    "The ferry was late that year, and when at last it came around the bend the whole"
    " village stood on the slip to see it, as if they had never seen one before."
)
NOTICE = (
    "Copyright 2024 All rights reserved. Privacy Policy Terms of Use Cookie settings"
    " Subscribe to our newsletter Follow us on Facebook Sign in Contact us Advertise"
)
