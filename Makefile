# `make demo` and `make test` do everything from a fresh Debian machine. The other targets are for
# those who work on Carom; .ci/run shows which of them must pass.

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
# A folder of the library is compiled as one file: a third of the time of a whole build. `make test UNITY=OFF` compiles
# file by file, which is faster after small changes and finds includes that are missing.
UNITY ?= ON
BUILD := build/release
CAROM := $(BUILD)/carom

# Instrumented code is many times slower: the larger meshes and the long runs are left to the plain build, and the
# thread sanitizer gets what uses threads, but for an exception that goes from thread to thread:
# that happens inside oneTBB, where the sanitizer sees nothing. Only the programs where there is something to find
# are built: those that are arithmetic alone (geometry, continuous, narrow, mid) are not.
TESTS_asan := -E "NOT_BUILT|^fuzz_|SmallLattice|ManySamples|ThingsCreep|ThingsJump|ThatTumble|ThePartThatMoved|DetectScene|6400|25600|rolled|soft_balls|passing|PyramidOfThirty|LeaveWhatTheirDefinition|TwoThousand|ApproachSlowly|FarFromTheOrigin|ClothWorld.SameHash|StrongDampers|ASheetOnAClosedMeshRests|MovesTheSameForAnyNumber|BetweenTwoPlatesThatClose|ABowlCatchesABall|RowsBetweenWallsGain|InAClosedSystem|IsThatOfHertz|LengthsAreLimitedWhere|GasHoldsAndIts|TwoHundredTimesItsMass|GainNoEnergyAtAWall|CantileverBends|DeepContacts.Filters|DeepContacts.Balls|DeepContacts.ASheet|FlatClusters.WhatCarries|FlatClustersWorld|DoNotPassThinWalls|ThirtyCubes|RingThreadsAPost|KeptClusters.*/AVX2|KeptClusters.*/SSE4|KeptClusters.*/EMU128|Lonely.*/AVX2|Lonely.*/SSE4|Lonely.*/EMU128|Lonely.NothingIsLostWhileSheetsSlide|ThreeHundredMoreHold|MostLatticesInDisorder|FreeBladesThatCutAtTouch|FastImpactsMakeNoEnergy|DoNotRepelEachOtherAtADistance|TenAtRestOnABall|ClothFrames|Soft.EnergyNeverGrows"
TESTS_tsan := -R "Parallel|Determinism|Detect|FollowsEdits|AnyNumberOfThreads|FourThreads" -E "DetectScene|6400|25600|rolled|soft_balls|passing|pile|terrain|bricks_600|AnException"
TARGETS_asan := test_core test_broad test_convex test_detect test_mesh test_world test_rigid test_io test_island test_bodies
TARGETS_tsan := test_core test_broad test_detect test_determinism test_rigid

.PHONY: help demo test bench build check docs format headers layout tidy asan tsan fuzz soak install clean

help:
	@echo "make demo      install what is missing, build, run the demo scenes into out/"
	@echo "make test      install what is missing, build, run every test"
	@echo "make bench     detection against the reference and other libraries; BENCH=--quick for a short run"
	@echo "make check     formatting, layout, links of the documents, clang-tidy, every public header by itself"
	@echo "make asan      the tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan      the threaded tests under the thread sanitizer"
	@echo "make fuzz      each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "make soak      long comparisons with brute force that are too slow for every day"
	@echo "make install   cmake --install to PREFIX"
	@echo "make format    rewrite the sources in our format"
	@echo "make clean     remove build/ and out/"

build:
	@scripts/setup build
	@cmake --preset release -DCMAKE_UNITY_BUILD=$(UNITY) > /dev/null
	@cmake --build --preset release -j $(JOBS)

demo: build
	@scripts/demo $(CAROM) out

test:
	@scripts/setup build test
	@cmake --preset release -DCMAKE_UNITY_BUILD=$(UNITY) -DCAROM_BUILD_TESTS=ON > /dev/null
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS) --progress
	@cd viewer && CAROM_BIN="$(abspath $(CAROM))" npm test --silent

bench:
	@scripts/setup build bench
	@cmake --preset release -DCMAKE_UNITY_BUILD=$(UNITY) -DCAROM_BUILD_BENCH=ON > /dev/null
	@cmake --build --preset release -j $(JOBS) --target carom_bench carom_bench_detect carom_bench_continuous carom_bench_convex carom_bench_convex_moving carom_bench_mesh carom_bench_broad carom_bench_rigid carom_bench_cloth carom_bench_mixed carom_bench_cut carom_bench_haptics carom_bench_soft carom_bench_field
	@$(BUILD)/carom_bench --out out/bench $(BENCH)
	@$(BUILD)/carom_bench_detect $(if $(findstring --quick,$(BENCH)),--quick --frames 10) --steps --memory
	@$(BUILD)/carom_bench_continuous --out out/bench $(if $(findstring --quick,$(BENCH)),--quick)
	@$(BUILD)/carom_bench_convex --out out/bench
	@$(BUILD)/carom_bench_convex_moving --out out/bench
	@$(BUILD)/carom_bench_mesh --out out/bench
	@$(BUILD)/carom_bench_broad --out out/bench $(if $(findstring --quick,$(BENCH)),--quick)
	@$(BUILD)/carom_bench_rigid --out out/bench $(if $(findstring --quick,$(BENCH)),--quick)
	@$(BUILD)/carom_bench_cloth --out out/bench $(if $(findstring --quick,$(BENCH)),--quick)
	@$(BUILD)/carom_bench_mixed --out out/bench $(if $(findstring --quick,$(BENCH)),--quick)
	@$(BUILD)/carom_bench_cut --out out/bench $(if $(findstring --quick,$(BENCH)),--quick)
	@$(BUILD)/carom_bench_cut --out out/bench --blade $(if $(findstring --quick,$(BENCH)),--quick)
	@$(BUILD)/carom_bench_soft --out out/bench $(if $(findstring --quick,$(BENCH)),--steps 10)
	@$(BUILD)/carom_bench_field --out out/bench $(if $(findstring --quick,$(BENCH)),--points 2000)
	@$(BUILD)/carom_bench_haptics --out out/bench $(if $(findstring --quick,$(BENCH)),--seconds 5)

check: format-check docs headers layout tidy

format-check:
	@scripts/setup build test check
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror && echo "formatting: fine"

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

docs:
	@scripts/check-docs

headers:
	@scripts/check-headers

layout:
	@scripts/check-layout

tidy:
	@scripts/setup build test check
	@cmake --preset dev > /dev/null
	@scripts/tidy build/dev $(JOBS)

asan tsan:
	@scripts/setup build test check
	@cmake --preset $@ > /dev/null
	@cmake --build --preset $@ -j $(JOBS) $(if $(TARGETS_$@),--target $(TARGETS_$@))
	@ctest --preset $@ -j $(JOBS) $(TESTS_$@)

fuzz:
	@scripts/setup build test check
	@cmake --preset asan > /dev/null
	@cmake --build --preset asan -j $(JOBS) --target fuzzers
	@scripts/fuzz build/asan/tests/fuzz $(FUZZ_SECONDS)

soak:
	@scripts/setup build test
	@cmake --preset release -DCMAKE_UNITY_BUILD=$(UNITY) -DCAROM_BUILD_TESTS=ON > /dev/null
	@cmake --build --preset release -j $(JOBS) --target test_soak
	@$(BUILD)/tests/test_soak

install: build
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

clean:
	rm -rf build out
