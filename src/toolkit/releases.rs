//! The table of releases that can be pinned: exact wheels with their hashes. Made by `tools/releases.py`.

/// One release of the CUDA toolkit as wheels.
#[derive(Debug)]
pub struct Release {
    /// `13.0`.
    pub name: &'static str,
    /// What every pinned toolkit has.
    pub wheels: &'static [Wheel],
    /// `cuda-extra` names and their wheels.
    pub extras: &'static [(&'static str, Wheel)],
}

/// A wheel with its exact version and the SHA-256 of its file for each platform (Linux).
#[derive(Debug)]
pub struct Wheel {
    /// The package's name.
    pub name: &'static str,
    /// The exact version.
    pub version: &'static str,
    /// SHA-256 of the x86-64 file, hexadecimal.
    pub x86_64: &'static str,
    /// SHA-256 of the 64-bit Arm file, hexadecimal; empty where there is none.
    pub aarch64: &'static str,
}

/// All releases, ascending.
pub static RELEASES: &[Release] = &[
    Release {
        name: "13.0",
        wheels: &[
            Wheel {
                name: "nvidia-cuda-nvcc",
                version: "13.0.88",
                x86_64: "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
                aarch64: "c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f",
            },
            Wheel {
                name: "nvidia-nvvm",
                version: "13.0.88",
                x86_64: "c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0",
                aarch64: "c4376a291d72d22a315d9d2f69bdae8f8cd83a627f75bad395cee49a0fe65dc1",
            },
            Wheel {
                name: "nvidia-cuda-crt",
                version: "13.0.88",
                x86_64: "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4",
                aarch64: "ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003",
            },
            Wheel {
                name: "nvidia-cuda-runtime",
                version: "13.0.96",
                x86_64: "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
                aarch64: "ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55",
            },
            Wheel {
                name: "nvidia-cuda-cccl",
                version: "13.0.85",
                x86_64: "e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649",
                aarch64: "6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c",
            },
            Wheel {
                name: "nvidia-cuda-nvdisasm",
                version: "13.2.86",
                x86_64: "53606e719ecae07a2335f95902d5a1393a0cc1c317499ee7ffcf628a44385f2c",
                aarch64: "d02c627f7aecfcac4dd5e923e94adeaa6607c5fdae8df750b01ad948d38941d3",
            },
            Wheel {
                name: "nvidia-cuda-cuobjdump",
                version: "13.2.86",
                x86_64: "d332c2ffe78e703ca0a3894be927f83124244e2acf0d792b8c12b4362d44d837",
                aarch64: "9a025b92d5faca837f69841317760df9b27f3871bfa089d80cc428399743fd56",
            },
        ],
        extras: &[
            (
                "cublas",
                Wheel {
                    name: "nvidia-cublas",
                    version: "13.1.1.3",
                    x86_64: "37936a16db8fe4ac1f065c2139360608a543a09275cb1a1af612e08cfa065436",
                    aarch64: "b7a210458267ac818974c53038fbec2e969d5c99f305ab15c72522fa9f001dd5",
                },
            ),
            (
                "cufft",
                Wheel {
                    name: "nvidia-cufft",
                    version: "12.0.0.61",
                    x86_64: "6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3",
                    aarch64: "2708c852ef8cd89d1d2068bdbece0aa188813a0c934db3779b9b1faa8442e5f5",
                },
            ),
            (
                "cufile",
                Wheel {
                    name: "nvidia-cufile",
                    version: "1.15.1.6",
                    x86_64: "08a3ecefae5a01c7f5117351c64f17c7c62efa5fffdbe24fc7d298da19cd0b44",
                    aarch64: "bdc0deedc61f548bddf7733bdc216456c2fdb101d020e1ab4b88d232d5e2f6d1",
                },
            ),
            (
                "cupti",
                Wheel {
                    name: "nvidia-cuda-cupti",
                    version: "13.0.85",
                    x86_64: "4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8",
                    aarch64: "796bd679890ee55fb14a94629b698b6db54bcfd833d391d5e94017dd9d7d3151",
                },
            ),
            (
                "curand",
                Wheel {
                    name: "nvidia-curand",
                    version: "10.4.0.35",
                    x86_64: "1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc",
                    aarch64: "133df5a7509c3e292aaa2b477afd0194f06ce4ea24d714d616ff36439cee349a",
                },
            ),
            (
                "cusolver",
                Wheel {
                    name: "nvidia-cusolver",
                    version: "12.0.4.66",
                    x86_64: "0a759da5dea5c0ea10fd307de75cdeb59e7ea4fcb8add0924859b944babf1112",
                    aarch64: "02c2457eaa9e39de20f880f4bd8820e6a1cfb9f9a34f820eb12a155aa5bc92d2",
                },
            ),
            (
                "cusparse",
                Wheel {
                    name: "nvidia-cusparse",
                    version: "12.6.3.3",
                    x86_64: "2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b",
                    aarch64: "80bcc4662f23f1054ee334a15c72b8940402975e0eab63178fc7e670aa59472c",
                },
            ),
            (
                "npp",
                Wheel {
                    name: "nvidia-npp",
                    version: "13.0.1.2",
                    x86_64: "70a53f1eb78a4c4c6a9ad08b50d28fbd1c190e03a4b45a0e0ffbdd794cc919a3",
                    aarch64: "80a2ee1298451654e4b8424aaf375bcb2cc43f5007a34c59278daba480cffdb6",
                },
            ),
            (
                "nvjpeg",
                Wheel {
                    name: "nvidia-nvjpeg",
                    version: "13.0.1.86",
                    x86_64: "f658a05c48702219b3db52e194c2ea1ff0ccd3fbf2b75127b4a573074cc22fd5",
                    aarch64: "d4be80fe2ca19d394d0baaac7ca59892fac892741b6f1c3f743b33dfb660a217",
                },
            ),
            (
                "nvrtc",
                Wheel {
                    name: "nvidia-cuda-nvrtc",
                    version: "13.0.88",
                    x86_64: "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
                    aarch64: "d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b",
                },
            ),
            (
                "nvtx",
                Wheel {
                    name: "nvidia-nvtx",
                    version: "13.0.85",
                    x86_64: "4936d1d6780fbe68db454f5e72a42ff64d1fd6397df9f363ae786930fd5c1cd4",
                    aarch64: "cb7780edb6b14107373c835bf8b72e7a178bac7367e23da7acb108f973f157a6",
                },
            ),
            (
                "profiler-api",
                Wheel {
                    name: "nvidia-cuda-profiler-api",
                    version: "13.0.85",
                    x86_64: "73d2671deac833db6686d6fbde4753fa3a3a497d87540fc246f081f375243f66",
                    aarch64: "b307d61f574ab60666d0b2cb204738338dbd0e05a9fa609eaab198222f0a13c2",
                },
            ),
        ],
    },
    Release {
        name: "13.1",
        wheels: &[
            Wheel {
                name: "nvidia-cuda-nvcc",
                version: "13.1.115",
                x86_64: "fe5c0604869dfbc837bdce9e1eef8e4f0e0d103c29e3875014ba3538c70efb74",
                aarch64: "ae46f71ea6f377e7719c1084ae8ca28d4e88770ee4436478c366c15f1fcfdebe",
            },
            Wheel {
                name: "nvidia-nvvm",
                version: "13.1.115",
                x86_64: "6fdf483d85d9903f9cbf84c41d99221a86e0c0511d05de3d237b4ab69c11627e",
                aarch64: "860706eb4b5851ac1d2bacf574b582ec66901acc31051da9b0cf9a2c910a9aa9",
            },
            Wheel {
                name: "nvidia-cuda-crt",
                version: "13.1.115",
                x86_64: "53c9b03f804dc7e539dd11914ec3d3fd0849791d8cd6a73f0d4df984bb339916",
                aarch64: "eefd71d80d296391b100ab61e44bfd924308e2685d382f33a24d5c59213b43da",
            },
            Wheel {
                name: "nvidia-cuda-runtime",
                version: "13.1.80",
                x86_64: "dac25b52e69050e5a7a84957e6df470a85b185f8f648a99a1ab1dfce027576cf",
                aarch64: "5f1aa8fd779cae1a78aa8fdbaa5e4f245300baff120099d9b5ee84e3f4506a29",
            },
            Wheel {
                name: "nvidia-cuda-cccl",
                version: "13.1.115",
                x86_64: "d4a9e0590cd34290cda27f402a67fbf42e3ed043bdd927c6dd52419c860f2f92",
                aarch64: "5d5d26df9e56af547a3699048b466d55dbab7557af030161de96abd67834512a",
            },
            Wheel {
                name: "nvidia-cuda-nvdisasm",
                version: "13.2.86",
                x86_64: "53606e719ecae07a2335f95902d5a1393a0cc1c317499ee7ffcf628a44385f2c",
                aarch64: "d02c627f7aecfcac4dd5e923e94adeaa6607c5fdae8df750b01ad948d38941d3",
            },
            Wheel {
                name: "nvidia-cuda-cuobjdump",
                version: "13.2.86",
                x86_64: "d332c2ffe78e703ca0a3894be927f83124244e2acf0d792b8c12b4362d44d837",
                aarch64: "9a025b92d5faca837f69841317760df9b27f3871bfa089d80cc428399743fd56",
            },
        ],
        extras: &[
            (
                "cublas",
                Wheel {
                    name: "nvidia-cublas",
                    version: "13.2.2.2",
                    x86_64: "77466d8d568b1750389a0632580e256552bf8d21ae40223e871ac8fb381020c8",
                    aarch64: "178c9d61959c1184603951703c947b2007989cf7fea6b216cf1a31c104fbdeac",
                },
            ),
            (
                "cufft",
                Wheel {
                    name: "nvidia-cufft",
                    version: "12.1.0.78",
                    x86_64: "e1ceed544d2c1d92a19e91c3de20d7eaca58075e43d4b09efbda7f603607f1c2",
                    aarch64: "639f60e802ace75277178148bc14bc17c6d1ec1f133cd81557c3e06ab70bf951",
                },
            ),
            (
                "cufile",
                Wheel {
                    name: "nvidia-cufile",
                    version: "1.16.1.26",
                    x86_64: "490e1f46fcd91fe3629b3819778d82ba9bc19a05704a362415432c7f4a899d37",
                    aarch64: "c00f326bf15b83c60cc8e668db7447a89dc89ab75f039e8b9929db1e48fd776a",
                },
            ),
            (
                "cupti",
                Wheel {
                    name: "nvidia-cuda-cupti",
                    version: "13.1.115",
                    x86_64: "2c76d91807cf76fc0e4b08ad71c4dff0e8e9f678fc8dbbbc43ec55125a70b553",
                    aarch64: "2b0ffd140b48ca45d5b26e4b4bf718f193b9054f2e0b71f77490a6ddecfaaf27",
                },
            ),
            (
                "curand",
                Wheel {
                    name: "nvidia-curand",
                    version: "10.4.1.81",
                    x86_64: "6ea66d0de7e71472b800829b525df15027bd3d8d0c475778a4d2b2abc7b453bb",
                    aarch64: "f61e4210ee1a69a3a148f4a5a99b607358a0d253c7e5a26aa4099afcb9901e4f",
                },
            ),
            (
                "cusolver",
                Wheel {
                    name: "nvidia-cusolver",
                    version: "12.0.9.81",
                    x86_64: "5d28371e1301d1edfb15b8b1201e24cd680bc72de7f384cc162c7edbd8c5348c",
                    aarch64: "124e9ade619124f4a4a946dd63814d0cfc7b4738d9f34639b83f4d7c323e1eb9",
                },
            ),
            (
                "cusparse",
                Wheel {
                    name: "nvidia-cusparse",
                    version: "12.7.3.1",
                    x86_64: "39dc7926b835761ade1a7210e047877977cdf4153ac2f8df57662047916d92ad",
                    aarch64: "c2cbabfe12fb58bfbd24fe2aa1b85a945900769eafc03cd788c5e19481f2a751",
                },
            ),
            (
                "npp",
                Wheel {
                    name: "nvidia-npp",
                    version: "13.0.3.3",
                    x86_64: "f8e73e92c47927b7a94b566688546b0cf2438d429269ec0d5f2be5ff1b5591d6",
                    aarch64: "7b4353c6b2cb3dec6492d0573256c12681093751698f1786ff06469b3687a8f9",
                },
            ),
            (
                "nvjpeg",
                Wheel {
                    name: "nvidia-nvjpeg",
                    version: "13.0.3.75",
                    x86_64: "b9fc782a1453fabacef7326f8d234f1503174558fb394bacd6ebf8fcd2089cdf",
                    aarch64: "5ba2c9e11a435893c576bc07ea04733eacf448b7186a22392f4e31ca1364eba9",
                },
            ),
            (
                "nvrtc",
                Wheel {
                    name: "nvidia-cuda-nvrtc",
                    version: "13.1.115",
                    x86_64: "d7cf1284ab82f379884decc8813d9d4a729bc96b1ec020a9cf80303f698d73c4",
                    aarch64: "dfbc5e3bb19db41e4a05280b7b0cb9cbb624699f57dab3798455f43345541f99",
                },
            ),
            (
                "nvtx",
                Wheel {
                    name: "nvidia-nvtx",
                    version: "13.1.115",
                    x86_64: "0d7685a5f65014a38a92ae96491f2412e8f0c32f33523476b9a718d0ced51b41",
                    aarch64: "3189f033c0fbc58aa19808106a5fd2aae46175c67f5b9fb378a5403405bcbcd8",
                },
            ),
            (
                "profiler-api",
                Wheel {
                    name: "nvidia-cuda-profiler-api",
                    version: "13.1.115",
                    x86_64: "a960d5448a9fdb481a7f3fb2dc30f8ab2114254b44f7f32b80ca19135aefd729",
                    aarch64: "dade40f89c3f3fcbe4f6da5b3a49defe665ef8c6e9e7aeec89710f8ef05ce09d",
                },
            ),
        ],
    },
    Release {
        name: "13.2",
        wheels: &[
            Wheel {
                name: "nvidia-cuda-nvcc",
                version: "13.2.86",
                x86_64: "7d3f56c8d705bad35bbba69eb0470d90856fd5d4dc48c6a6173aaf1e9f887cf5",
                aarch64: "909140a1f942b943982b2eff120e618c94e29d75d9e33f5cd074f0e64eb411e8",
            },
            Wheel {
                name: "nvidia-nvvm",
                version: "13.2.86",
                x86_64: "a9244f3209922d655612c11ebb4117ea1f80983cb2b215c9cccded127282cebc",
                aarch64: "a502dcc2859f17a925adba495c222d44a221b9eb10e7d111a7046dc2cc883b69",
            },
            Wheel {
                name: "nvidia-cuda-crt",
                version: "13.2.86",
                x86_64: "e3ab08801bf9b1e6dc979275d25e816bb5000521b648e19c324d5eef0c79f1da",
                aarch64: "3294669c379ef3382804bc077fec22a48753a743c75c83c1ee3c224bb049423f",
            },
            Wheel {
                name: "nvidia-cuda-runtime",
                version: "13.2.86",
                x86_64: "3498247680dfddce31bad102af7e3e26fc795342a3cac64722bb0fa95e7f60f0",
                aarch64: "37844957894bfdecf90243568d21a2cb251b66106915b71459a23c8e6ef2da69",
            },
            Wheel {
                name: "nvidia-cuda-cccl",
                version: "13.2.86",
                x86_64: "35da671cf0cecd3539da214a11bb8e7634366c9e950da9c5feecf6c490a65b20",
                aarch64: "05f2a2123cd7bc13b731d219d27e50281150a7985d5955bffcde0e966cefe0a2",
            },
            Wheel {
                name: "nvidia-cuda-nvdisasm",
                version: "13.2.86",
                x86_64: "53606e719ecae07a2335f95902d5a1393a0cc1c317499ee7ffcf628a44385f2c",
                aarch64: "d02c627f7aecfcac4dd5e923e94adeaa6607c5fdae8df750b01ad948d38941d3",
            },
            Wheel {
                name: "nvidia-cuda-cuobjdump",
                version: "13.2.86",
                x86_64: "d332c2ffe78e703ca0a3894be927f83124244e2acf0d792b8c12b4362d44d837",
                aarch64: "9a025b92d5faca837f69841317760df9b27f3871bfa089d80cc428399743fd56",
            },
        ],
        extras: &[
            (
                "cublas",
                Wheel {
                    name: "nvidia-cublas",
                    version: "13.4.1.3",
                    x86_64: "a5917cb642cfb07f4a0231ee16aec7e2e0357d8cb8b1b78a0c9c68dba3e6afc7",
                    aarch64: "4eb1472bf92b741e7cf24da7978dde251b58ddec2092d9f6a04f3623eb4e9a15",
                },
            ),
            (
                "cufft",
                Wheel {
                    name: "nvidia-cufft",
                    version: "12.2.0.57",
                    x86_64: "34da27fadf3979b0b042c43823f0530be8408b86df31ee0108e1ca0b621d4ef6",
                    aarch64: "1ed438568ae1088ba2c25789d10205d4104b8b140b7bd942e39a787947a0fb74",
                },
            ),
            (
                "cufile",
                Wheel {
                    name: "nvidia-cufile",
                    version: "1.17.1.22",
                    x86_64: "87feaf8c3ad20d3d03a01933181801ff6892bace5c8f0b1e4b48f319d3e62d36",
                    aarch64: "bec33d7f1f12691dce330275246587569c2ed90b1ce43b0f94b3e1ce9268744b",
                },
            ),
            (
                "cupti",
                Wheel {
                    name: "nvidia-cuda-cupti",
                    version: "13.2.86",
                    x86_64: "8fa29f15dd8336181f961764d9d95236fc6b931dd0c8fcf8cd70aab0c310b586",
                    aarch64: "d9a5c133f73fcb9013f3ada0da6fb54d4117618d81f3f5a0419417ea6ee829d4",
                },
            ),
            (
                "curand",
                Wheel {
                    name: "nvidia-curand",
                    version: "10.4.2.66",
                    x86_64: "9bb3796a2f6223454b2e326e3d7572c1500cfa4d629de827676b4eeecd30ab0c",
                    aarch64: "cb61a0bb7e7a7446b25bf5ff93aa560009dd738b48ed52f57ae764a4cae37381",
                },
            ),
            (
                "cusolver",
                Wheel {
                    name: "nvidia-cusolver",
                    version: "12.2.0.11",
                    x86_64: "fab5778f6769947389a1a6abc07e635576825a08c0ffc68c3ae7f1392c794b42",
                    aarch64: "8be097fca28de6be0990ab216ee9b804dd51077e1d1d83acf6c9850650bdc64d",
                },
            ),
            (
                "cusparse",
                Wheel {
                    name: "nvidia-cusparse",
                    version: "12.7.10.12",
                    x86_64: "25907c75e4db1581685f06f61cc6cdecc04611765516a52373e0a18ebd69fa00",
                    aarch64: "597eff2cd83e3ab1d1e3a0dce9c9c879d77cf64ec2659bfdb5af6a5d02e7aaa9",
                },
            ),
            (
                "npp",
                Wheel {
                    name: "nvidia-npp",
                    version: "13.1.0.59",
                    x86_64: "1dba9aeb93d18c7230b2ab8b76ea2fa01c638090c20408bb6d1f1772bbf10fdb",
                    aarch64: "627a584c9fae46f4e8e59717a3f81ac0a2b53b0f36042966aa3a3f6fc34e008a",
                },
            ),
            (
                "nvjpeg",
                Wheel {
                    name: "nvidia-nvjpeg",
                    version: "13.1.0.59",
                    x86_64: "331223cfcd8c618d8d6adb56b2c128f8e3406be5fcab5f6aeff9291e18a52a35",
                    aarch64: "44939c98f258dd977d89a76e64f09f38270f510b5ba420f6fc7f6749262c3724",
                },
            ),
            (
                "nvrtc",
                Wheel {
                    name: "nvidia-cuda-nvrtc",
                    version: "13.2.86",
                    x86_64: "8111c5130e967b78222ea2124145f8efe9ce201b752b2579a2513100a53be1c5",
                    aarch64: "1e5d7b411a2eb83f5c71c98d58133a763fc9fa86a4241ee320c5c4782d9ad1fd",
                },
            ),
            (
                "nvtx",
                Wheel {
                    name: "nvidia-nvtx",
                    version: "13.2.86",
                    x86_64: "968ce72baee2a01791c7d3254000eac81f24677b0b91c62d21b449a1f309c245",
                    aarch64: "1c6ae1be92fba569dd271f7b9b3056f99f5642726dc6c53d1b93ae4110c398fb",
                },
            ),
            (
                "profiler-api",
                Wheel {
                    name: "nvidia-cuda-profiler-api",
                    version: "13.2.86",
                    x86_64: "8a99fd469c743e47997062f9c8d3cea691769abee07f83f5e57fbcaf03439317",
                    aarch64: "934bc3d4afbe1bd7361d613b27208bcc657a349224c49a4d2eee1288ba86d646",
                },
            ),
        ],
    },
    Release {
        name: "13.3",
        wheels: &[
            Wheel {
                name: "nvidia-cuda-nvcc",
                version: "13.3.73",
                x86_64: "f483af83166c4fa356a21606076d553b0b4ceaebbd9912e537545080db695bdd",
                aarch64: "70f250825355d2c3aa6c7a972a0ec00f020bad66d2679e527eb4336301c904aa",
            },
            Wheel {
                name: "nvidia-nvvm",
                version: "13.3.73",
                x86_64: "0e28e0858a3475e11ac67d35301cd5bf82666a1c0dc4ec4e80ceaf3a5fd1dea8",
                aarch64: "e2bcdd5783b5481445f1f0e7170cb836cc0d72999839ba850bbba6dc97b76bb8",
            },
            Wheel {
                name: "nvidia-cuda-crt",
                version: "13.3.73",
                x86_64: "df14a17ae1c5c3171265411212246654d780f89344ea85344466c6b955247543",
                aarch64: "60aacc0b5e1e8b40c62abe4d1ab16440add91b99bd2f17f62dd091586b73d166",
            },
            Wheel {
                name: "nvidia-cuda-runtime",
                version: "13.3.29",
                x86_64: "e04420616e72f563167a7733272992d7e6df6dc5cb54b2f94f9f1520ea9e30c1",
                aarch64: "73291e19c9dd919c140c91bda2f80b0eca487da5ee30a086ef7bc4918ecb90ea",
            },
            Wheel {
                name: "nvidia-cuda-cccl",
                version: "13.3.3.4.1",
                x86_64: "cc0adc188d570b09f4d606c7dc05a42aa3d8aa082e0d60f7bbfc5b6435f627c6",
                aarch64: "067d19b4b3c9d0f2ebec9f29a311b2863db96bf98e058bbc331597d51ce818cf",
            },
            Wheel {
                name: "nvidia-cuda-nvdisasm",
                version: "13.3.73",
                x86_64: "fa17084b07c0dca68a42892f771b4b1b40fbe9b91660209623e61cea611cae8c",
                aarch64: "dd4751884f9016b9b6dbf007abdeb5681d0a2edc731dd3d2fda9d6d878e88f73",
            },
            Wheel {
                name: "nvidia-cuda-cuobjdump",
                version: "13.3.73",
                x86_64: "8e87d17597fccb71e6bffe0718b7ff6847b9b7923744b789e282bd761eb91654",
                aarch64: "96e520be38bcd9cd27563dcc0a4b3082fcc6f1c03e341115776cc68036385071",
            },
        ],
        extras: &[
            (
                "cublas",
                Wheel {
                    name: "nvidia-cublas",
                    version: "13.6.0.2",
                    x86_64: "b82c80c886cea6da6e149a5c3bdba274f12b7e4ec4b00a050b916b0446fb4153",
                    aarch64: "946f6a252b1cc72d8de912c75975fd6d8ba44f67d4e5044fe764ddb909f4a688",
                },
            ),
            (
                "cufft",
                Wheel {
                    name: "nvidia-cufft",
                    version: "12.3.0.29",
                    x86_64: "edb25c0626bd202ee5acc035b5dd361a3b89ed3b75a81a52df72c89150cb57c2",
                    aarch64: "3c268ec73fdbfd22e42913dcef6e49e0c305ab09cd9848268a841cbe9f33f748",
                },
            ),
            (
                "cufile",
                Wheel {
                    name: "nvidia-cufile",
                    version: "1.18.1.6",
                    x86_64: "9ad93e44607facaddabb4bff042f00043caec62d96af8a1f5274ec801ded23f2",
                    aarch64: "c4bc76857335b4615c3906453ff375632466cc48e823b56ec146de4d58f2781c",
                },
            ),
            (
                "cupti",
                Wheel {
                    name: "nvidia-cuda-cupti",
                    version: "13.3.75",
                    x86_64: "a969cc446c44db612e417bd0af722cfad9009c027dabd4ed255262c0e9a9a3d2",
                    aarch64: "79f5a8c55378a998427d6974b1d85ec91ef684035d016b3fb3b85006914f94f0",
                },
            ),
            (
                "curand",
                Wheel {
                    name: "nvidia-curand",
                    version: "10.4.3.29",
                    x86_64: "1859bf37a62754d2c65001393096ca79de399f995971fa7826d0adfd88c3cf7b",
                    aarch64: "63899de834d1b84b32ad60d34cb4d246bea998ddadbc85f8e1dd937dd3718d61",
                },
            ),
            (
                "cusolver",
                Wheel {
                    name: "nvidia-cusolver",
                    version: "12.2.6.9",
                    x86_64: "e32cb40c8a4d3df475b556caaf6af5808ef064df7e291a049528a0d28017b674",
                    aarch64: "658ce9e6ed8a321033419fe6e55faf0f245a15aa23669eda03d7f2dcce436d73",
                },
            ),
            (
                "cusparse",
                Wheel {
                    name: "nvidia-cusparse",
                    version: "12.8.2.51",
                    x86_64: "65cbcc4e37a34fca4ee7df2fd57da103593842cda1bbb4a144664ecfe59873a5",
                    aarch64: "00469fcf62c4d464a1225abd9b20864ecff35e3fbc9fb992572e83d358927755",
                },
            ),
            (
                "npp",
                Wheel {
                    name: "nvidia-npp",
                    version: "13.1.2.81",
                    x86_64: "0975731d01862393a956296559ac9f7e46379207d7de4a1e1abde9fc58427183",
                    aarch64: "e2c117d74a86e159fb8ffd593bbd3d45fd683ad08f9265b698143feed7653fb3",
                },
            ),
            (
                "nvjpeg",
                Wheel {
                    name: "nvidia-nvjpeg",
                    version: "13.2.1.68",
                    x86_64: "2c292f2219909bfcc56f2184dd134b7c7dd65bafa7247f3287e26ef42dbd1453",
                    aarch64: "e3f0d88b7e8b952919a954d67e5c7935ffcd27ddcaec76da8619b463e241a9d6",
                },
            ),
            (
                "nvrtc",
                Wheel {
                    name: "nvidia-cuda-nvrtc",
                    version: "13.3.33",
                    x86_64: "82530788b8c6164a54d3fd9ae8bcca8893d397c4aeb998861982a03bbe41e204",
                    aarch64: "7b05ecda494c6dabc44231a608b060a71008a730d9dfda932cc508e6d29159e0",
                },
            ),
            (
                "nvtx",
                Wheel {
                    name: "nvidia-nvtx",
                    version: "13.3.29",
                    x86_64: "c54976009b1e86846ee66ab129daae522a25d698971cb074b66e5e7e133a58f0",
                    aarch64: "ee6f2cfcfb5dc037cc40894186c9142a2f9bc25b2ea8fc2d57b51974d777d1bc",
                },
            ),
            (
                "profiler-api",
                Wheel {
                    name: "nvidia-cuda-profiler-api",
                    version: "13.3.27",
                    x86_64: "278a8aca78c72552905a2333b3dcf8497000be4993d2c415998088581c87467e",
                    aarch64: "5f35074595d0e215e2fb8becfd9a0b2b4b2d5fde48b4372ad50f67a5a5088672",
                },
            ),
        ],
    },
    Release {
        name: "13.4",
        wheels: &[
            Wheel {
                name: "nvidia-cuda-nvcc",
                version: "13.4.92",
                x86_64: "a1f3bfb27299e060b444d5df1f4bcd762501326cf0fd3141ed61756816ab9a0e",
                aarch64: "d6fc9f720c3b73b9e526f4c759dbc6581e1a300ba2c8191e3f0ed91c848a92c8",
            },
            Wheel {
                name: "nvidia-nvvm",
                version: "13.4.92",
                x86_64: "e4c81cb321dd9743bcf871c5e7e8fecd7f05dea607944426e102bdda8d49e137",
                aarch64: "6b70f49442461c1b1033e599ff021676ea3d20840be1e7f92e1d6560daf08637",
            },
            Wheel {
                name: "nvidia-cuda-crt",
                version: "13.4.92",
                x86_64: "731ce3de11df8add8306404417a1edaede225dbe27eb233aed37c8de9d4fe720",
                aarch64: "212dbd6410b090f5c5b88e8671e44df5d43c591c12f232dae3197b137b616009",
            },
            Wheel {
                name: "nvidia-cuda-runtime",
                version: "13.4.92",
                x86_64: "9641f797da20ce1dd8e779b6e96d08cf9ba564cec8e8225458811ee26423f3a5",
                aarch64: "bef071788589550ab02846fcbc732a2b88c2b16f2cd8a0f45d98e68e8c5fb0c8",
            },
            Wheel {
                name: "nvidia-cuda-cccl",
                version: "13.3.4.3.1",
                x86_64: "48ba8e44a1162face51306d5bfd67604d9949be5acb9105dbb93734d2df8b3a4",
                aarch64: "cd47e7823e3ab369a3e3df3a4c6dbb4cb02176cb85b251eec5f7c9cdfa528ec4",
            },
            Wheel {
                name: "nvidia-cuda-nvdisasm",
                version: "13.4.92",
                x86_64: "f35a5b6ddb64b6758c22c0b078c5b6ff6d54f7c240cd74bf131ab5bf13b6c3fe",
                aarch64: "b007c08c8248b29281ed9a174b478d557b58ea8a921ab78369a2843f0718f77d",
            },
            Wheel {
                name: "nvidia-cuda-cuobjdump",
                version: "13.4.92",
                x86_64: "fb72ca80d0cdd8f5e8e232ce17d3c5aa2a37c3153bb8ef4e010010ed4fdef6c5",
                aarch64: "ed9ffbe59069e7ff94631ab4e279e5af7ee88ddafdf4c23f4a94d187f1470f03",
            },
        ],
        extras: &[
            (
                "cublas",
                Wheel {
                    name: "nvidia-cublas",
                    version: "13.8.0.4",
                    x86_64: "9f17797dfcc048694461f4e47de17d2e3c25adf172ef723d2db0a07cd8744b89",
                    aarch64: "e22b25be18f8b7d267dbbe2a8ec78e2c69c05762536d299dd0afa2c847115740",
                },
            ),
            (
                "cufft",
                Wheel {
                    name: "nvidia-cufft",
                    version: "12.4.0.43",
                    x86_64: "0e8385013596b112d29c9ce8c63dc575b308d77636c7169104e18714f03961a8",
                    aarch64: "3938644a5b594e06d396e02d6e52bdd84589b3c1f3a8a127a2704211c2abc441",
                },
            ),
            (
                "cufile",
                Wheel {
                    name: "nvidia-cufile",
                    version: "1.19.1.55",
                    x86_64: "971a830d6ad3e160b52085c7340abd3a683e477b8995de9ff8b7912b4138f319",
                    aarch64: "56f00f0aad7b6da086f764cfefe8af3a36b05d4f0849f94717e5e25043a2071d",
                },
            ),
            (
                "cupti",
                Wheel {
                    name: "nvidia-cuda-cupti",
                    version: "13.4.92",
                    x86_64: "037b561575e6983bc4fe1caae644d7a296a8367f451bf6c2a3194f4d0765431c",
                    aarch64: "2358645c4607d4298dbe1d1989621ab246bc2efeb53e413be8eba922839946b1",
                },
            ),
            (
                "curand",
                Wheel {
                    name: "nvidia-curand",
                    version: "10.4.4.72",
                    x86_64: "25c3457ae7a224fdd484dab90b0fc5dc0e842fab5db3012afa4a5bd2af4eb7e5",
                    aarch64: "53bef256d4362eb3d70c9c048a8d31bcf003f9dcade17720c73d3a494a7dcaa3",
                },
            ),
            (
                "cusolver",
                Wheel {
                    name: "nvidia-cusolver",
                    version: "12.3.5.3",
                    x86_64: "01f13254cfe9f99cf8d141fa4d00fbe55b235fd1509854017d766fd84442f46a",
                    aarch64: "42528d8347ca73e0c5c081ac1c9a51561730f50e568d3d185e3938337fd8c646",
                },
            ),
            (
                "cusparse",
                Wheel {
                    name: "nvidia-cusparse",
                    version: "12.8.6.72",
                    x86_64: "a739f6ff51ea2a8a2990b267b9b4d3063a5d94890efb8ccf393bfcab9dd487aa",
                    aarch64: "c3917c86fd419cbd42229b5cccb8bbe5200ed5b7dec3aa86d28e25c90a256e1b",
                },
            ),
            (
                "npp",
                Wheel {
                    name: "nvidia-npp",
                    version: "13.2.0.58",
                    x86_64: "cf59284ad215a49e270a3763dbde3a060aabdd8f31b787b9f1192209ec6ae9e8",
                    aarch64: "58d00ff931e709e860f3a8058e7b37faabfd85d1da3ace7d379c7ad3f3412cc3",
                },
            ),
            (
                "nvjpeg",
                Wheel {
                    name: "nvidia-nvjpeg",
                    version: "13.2.3.58",
                    x86_64: "552b30b11ac8e2bbfb18fd8de31e48756188ebf9b84a8c342a88f07f81a6cdf1",
                    aarch64: "ab12c6b8a90f1a21672baef2666a2f5c741374f247602b515cb0c8d45696bd32",
                },
            ),
            (
                "nvrtc",
                Wheel {
                    name: "nvidia-cuda-nvrtc",
                    version: "13.4.92",
                    x86_64: "5ce8c97b00b232c4f50c8c4b5a3b68cafee08bdb82ea86f2052ff01d03194f4a",
                    aarch64: "24b9f5eccc6a5a19779038cf468aecb7cecfa8716269beaef5640bd989d21c28",
                },
            ),
            (
                "nvtx",
                Wheel {
                    name: "nvidia-nvtx",
                    version: "13.4.92",
                    x86_64: "6d14c3b7a91917892f0f54fca352acd315fbadcc92bdc616a9bc3f626e9f1e28",
                    aarch64: "d256c3a0f2f5e82de0a529112c630a74744f138b3ce97c6f468f65ca40463c98",
                },
            ),
            (
                "profiler-api",
                Wheel {
                    name: "nvidia-cuda-profiler-api",
                    version: "13.4.92",
                    x86_64: "b6a29bfebcb18cd045e667a0cfc882258e4a78bb6b73b868a36f7f0d069e6c5c",
                    aarch64: "01a0d4c5707fc448ddaf0b9ca2059fba9bab208089cc65cd8e448f1bbf52b8e6",
                },
            ),
        ],
    },
    Release {
        name: "13.5",
        wheels: &[
            Wheel {
                name: "nvidia-cuda-nvcc",
                version: "13.5.37",
                x86_64: "f5c4f7ead5d964fb4af42bbf1e6d3ec3c1e6e9d83b53749f691d387e7fcaa3a7",
                aarch64: "588eda18eb5076ae859fe272844b526459228af22df0b117f54eec3aa82bc9c8",
            },
            Wheel {
                name: "nvidia-nvvm",
                version: "13.5.37",
                x86_64: "c41bfa362e407405163f103c2229f0765f8cc2ed7d148b754dc77f228bf7e070",
                aarch64: "b659bd3115b7ac7ec8931e67d0e2c0dd09cd35b08a6a7372df6f8f22c67da80a",
            },
            Wheel {
                name: "nvidia-cuda-crt",
                version: "13.5.37",
                x86_64: "e898b7f73d3035fa89915a3f7bf3b54a73e90249746111aed295822c4729bb29",
                aarch64: "9ed2c565fdf3244fa6719769a80a466b85bfd4b1467ea339353bc91c971d09e0",
            },
            Wheel {
                name: "nvidia-cuda-runtime",
                version: "13.5.37",
                x86_64: "df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d",
                aarch64: "de2dc5a7367974228b0a69588a9acc9340d3768bef1bf38bf0801eb08497cd2d",
            },
            Wheel {
                name: "nvidia-cuda-cccl",
                version: "13.3.5.0.6",
                x86_64: "d5230098fa2df5021e1a00c0c4eee41797671a91119d31e892463e5ccf3ee326",
                aarch64: "6f30b8076b3e69951c459c94ae190bde51924b320076ebaec376d36848b4c76e",
            },
            Wheel {
                name: "nvidia-cuda-nvdisasm",
                version: "13.5.37",
                x86_64: "d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
                aarch64: "a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605",
            },
            Wheel {
                name: "nvidia-cuda-cuobjdump",
                version: "13.5.37",
                x86_64: "38780fee50863252a0b8926357faa91615ca1c8346490563f33a06100cd73f58",
                aarch64: "f48e3148535365161a268547b285fd01d92c80e4b457275375933825b5fc26b2",
            },
        ],
        extras: &[
            (
                "cublas",
                Wheel {
                    name: "nvidia-cublas",
                    version: "13.10.0.20",
                    x86_64: "dcc6d63884c53d07e267ce7e6feac17b2538cebaafec5db865736c3e28e4dc84",
                    aarch64: "c5f3418c0a845232a8cabc58f6fa52cfae7d8bd3680d94c3907aca710fd48d70",
                },
            ),
            (
                "cufft",
                Wheel {
                    name: "nvidia-cufft",
                    version: "12.5.0.14",
                    x86_64: "b8be26837a5abad2b5b74f3e92dd29f622a42934b355be0961a48712cbba23ad",
                    aarch64: "091cde103312d6e09366122fe3f67092dcfd94cc9785029d695d6bcffaa76fdf",
                },
            ),
            (
                "cufile",
                Wheel {
                    name: "nvidia-cufile",
                    version: "1.20.0.107",
                    x86_64: "d134f10ce336c411664d79e3538e4797b38a41d3388edad1ec4a1a8c64c8c03a",
                    aarch64: "cbd04b0f7b7ae24c1e7c3c52514b80cf89e7157db19c9ae6f3c274fc72af83e6",
                },
            ),
            (
                "cupti",
                Wheel {
                    name: "nvidia-cuda-cupti",
                    version: "13.5.25",
                    x86_64: "9dcca41c12a734192b14e7128ae116bc9ce1b9da686e2ebf48ae7a4415f76650",
                    aarch64: "d7e4d908315461b6ecbdadfd3c403cc796ed218b293ad117568c947e811cff28",
                },
            ),
            (
                "curand",
                Wheel {
                    name: "nvidia-curand",
                    version: "10.4.5.25",
                    x86_64: "22bb226a857e5888fe6b54ae465fc4371296bcff13a35f79e19691bcf454f529",
                    aarch64: "07c75d8ba14b627d1a01d2c1bfa1eece88f25d564d3aae7e6b6fb44f7bbec9c1",
                },
            ),
            (
                "cusolver",
                Wheel {
                    name: "nvidia-cusolver",
                    version: "12.4.1.2",
                    x86_64: "b3b8e02fd2f2df869369af075dc3a179d43f6f7b85e94632a7dce556697be044",
                    aarch64: "1f54c8e0d5b1ebd183b4c5a79f0709fa90241e8254da381ca5b969ee97c8de32",
                },
            ),
            (
                "cusparse",
                Wheel {
                    name: "nvidia-cusparse",
                    version: "12.9.4.2",
                    x86_64: "072667e58c851a318738f5527a12eb225cbf058803f2ea451c722d8cf8edddec",
                    aarch64: "e2ce97f185c9c4b285e4a8fbf02cb96dd1b8dd66736ebe2f0a8da5f6012a4fb7",
                },
            ),
            (
                "npp",
                Wheel {
                    name: "nvidia-npp",
                    version: "13.2.0.93",
                    x86_64: "31e52de156799efed7da0654899c16e7732fb16a5ff9c4a3769894fb6c9d11bc",
                    aarch64: "d1a0ac8fb8606663c96621add9095621781ba28704b3165f73cb39d171f1c8e8",
                },
            ),
            (
                "nvjpeg",
                Wheel {
                    name: "nvidia-nvjpeg",
                    version: "13.3.2.43",
                    x86_64: "27f9c4a25a73f1d1ad35c342c8d657c8ff43e23877f338ef15fb2602ac2e5aa8",
                    aarch64: "3846e2e5d38487fd94cb870d0a9a865782bf9b54cade15467defcf51dc68cc2e",
                },
            ),
            (
                "nvrtc",
                Wheel {
                    name: "nvidia-cuda-nvrtc",
                    version: "13.5.37",
                    x86_64: "86b4d68058807988b7d9af5b44917a0601e9c337f35ccd657bfb3c759ff8d8bc",
                    aarch64: "36e4fa2a8ada293f5693d308e531c196ab6f91cf7a0ff479bf96a537d43a6096",
                },
            ),
            (
                "nvtx",
                Wheel {
                    name: "nvidia-nvtx",
                    version: "13.5.25",
                    x86_64: "f72f21bd338c531afb3f802d03c569e9f7c324739ac332c672a431734d0b5c41",
                    aarch64: "181c68c7e5308aa633015f96462b7064c07a6f3d36bb680a1ddb1b250ae84e8e",
                },
            ),
            (
                "profiler-api",
                Wheel {
                    name: "nvidia-cuda-profiler-api",
                    version: "13.5.25",
                    x86_64: "1b4c77ff668bdb7bc55331b0b3fb853d3cd13810b19a1b77648e71d11cd360f9",
                    aarch64: "d216926910e2529d881bb3cb5461da397422dcf3668e59c7d081e458dc4cb595",
                },
            ),
        ],
    },
];
