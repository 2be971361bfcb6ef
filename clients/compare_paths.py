"""Compares the paths that the program finds with all shortest paths of networkx, on generated registers.

The registers are written in the import format, imported and asked over HTTP. Offices and domains are the same here if
their texts are: what else makes them the same has tests of its own.
"""

import itertools
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import networkx

# Companies, people, seats of each company, offices, domains; the last has an office, a domain and a person with more
# companies than are followed.
REGISTERS = [(60, 40, 3, 12, 15, False), (400, 300, 3, 250, 300, False), (700, 600, 2, 500, 600, True)]
PAIRS = 250
MAX_FOLLOWED = 100
MAX_STEPS = 6
MAX_PATHS = 5
EMAIL = "paths@example.com"
# Removed from the environment: it is not a setting of Panji.
PROGRAM = os.environ.pop("PANJI_BIN")


class Register:
    def __init__(self, chance, companies, people, seats, offices, domains, with_hubs):
        self.companies = [f"U17110MH2001PTC{990000 + number:06}" for number in range(companies)]
        self.people = [f"{99000000 + number:08}" for number in range(people)]
        self.seats = {(chance.choice(self.people), cin) for cin in self.companies for _ in range(chance.randint(1, seats))}
        self.offices = {cin: chance.randrange(offices) for cin in self.companies}
        self.domains = {cin: chance.randrange(domains) for cin in self.companies}
        if with_hubs:
            for cin in chance.sample(self.companies, MAX_FOLLOWED + 20):
                self.offices[cin] = "hub"
            for cin in chance.sample(self.companies, MAX_FOLLOWED + 20):
                self.domains[cin] = "hub"
            self.seats |= {(self.people[0], cin) for cin in chance.sample(self.companies, MAX_FOLLOWED + 20)}

    def lines(self):
        for din in self.people:
            yield {"record": "director", "din": din, "name": f"Namuna {din}"}
        for cin in self.companies:
            yield {
                "record": "company",
                "cin": cin,
                "name": f"Namuna {cin[-6:]} Private Limited",
                "email": f"cs@namuna{self.domains[cin]}.example",
                "registered_office": {
                    "address": f"House {self.offices[cin]}, Namuna Road",
                    "city": "Mumbai",
                    "pincode": "400013",
                },
            }
        for din, cin in sorted(self.seats):
            yield {"record": "appointment", "cin": cin, "din": din, "name": f"Namuna {din}", "appointed_on": "2020-04-01"}

    def graph(self):
        """Everything that is followed; people with too many companies are left out."""
        graph = networkx.Graph()
        graph.add_nodes_from(self.companies)
        for din, seats in itertools.groupby(sorted(self.seats), key=lambda seat: seat[0]):
            seats = list(seats)
            if len(seats) <= MAX_FOLLOWED:
                self.connect(graph, seats, "director_of")
        for shared, relation in ((self.offices, "same_registered_office"), (self.domains, "same_email_domain")):
            groups = {}
            for cin, value in shared.items():
                groups.setdefault(value, []).append(cin)
            for members in groups.values():
                if len(members) <= MAX_FOLLOWED:
                    self.connect(graph, itertools.combinations(members, 2), relation)
        return graph

    @staticmethod
    def connect(graph, pairs, relation):
        for one, other in pairs:
            if not graph.has_edge(one, other):
                graph.add_edge(one, other, relations=set())
            graph[one][other]["relations"].add(relation)

    def expected(self, graph, one, other):
        """All shortest paths; an end is followed however many companies it has."""
        ends = [end for end in (one, other) if end not in graph]
        graph = graph.copy() if ends else graph
        for end in ends:
            graph.add_node(end)
            self.connect(graph, [seat for seat in self.seats if seat[0] == end], "director_of")
        try:
            paths = list(map(tuple, networkx.all_shortest_paths(graph, one, other)))
        except networkx.NetworkXNoPath:
            return graph, []
        return graph, paths if len(paths[0]) <= MAX_STEPS + 1 else []


class Service:
    """The program with a register of its own."""

    def __init__(self, folder, register):
        self.program, self.data = PROGRAM, ["--data-dir", str(folder / "data")]
        file = folder / "register.jsonl"
        file.write_text("\n".join(json.dumps(line) for line in register.lines()))
        self.run("import", str(file))
        self.run("account", "create", "--email", EMAIL, "--name", "Namuna")
        self.run("credits", "grant", "--account", EMAIL, "--amount", "1000000")
        self.key = self.run("key", "create", "--account", EMAIL, "--mode", "live").strip().splitlines()[-1]
        address = f"127.0.0.1:{20000 + os.getpid() % 12000}"
        self.address = f"http://{address}"
        limits = {"PANJI_RATE_LIMIT__PER_SECOND": "1000000", "PANJI_RATE_LIMIT__BURST": "1000000", "RUST_LOG": "warn"}
        self.process = subprocess.Popen(
            [self.program, *self.data, "--listen", address], env=os.environ | limits, stdout=subprocess.DEVNULL
        )

    def run(self, *command):
        done = subprocess.run([self.program, *command, *self.data], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def paths(self, one, other):
        query = urllib.parse.urlencode({"from": one, "to": other})
        request = urllib.request.Request(
            f"{self.address}/v1/network/paths?{query}", headers={"Authorization": f"Bearer {self.key}"}
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)["data"]

    def wait(self, one, other):
        """Until the program responds and its graph is built."""
        for _ in range(600):
            try:
                return self.paths(one, other)
            except urllib.error.HTTPError as error:
                assert error.code == 503, error.read()
            except OSError:
                assert self.process.poll() is None, "the program ended"
            time.sleep(0.2)
        raise AssertionError("the graph was not built in two minutes")


def compare(register, graph, service, one, other):
    graph, expected = register.expected(graph, one, other)
    found = service.paths(one, other)
    paths = [tuple(node["id"] for node in path["nodes"]) for path in found["paths"]]
    assert found["complete"], (one, other)
    assert len(set(paths)) == len(paths) == min(len(expected), MAX_PATHS), (one, other, paths, expected)
    assert set(paths) <= set(expected), (one, other, paths, expected)
    assert found["has_more"] == (len(expected) > MAX_PATHS), (one, other)
    for path, nodes in zip(found["paths"], paths):
        for step, pair in zip(path["steps"], itertools.pairwise(nodes)):
            relations = {edge["relation"] for edge in step["edges"]}
            assert relations == graph.edges[pair]["relations"], (pair, relations)
    return len(expected)


def main():
    for seed, shape in enumerate(REGISTERS):
        chance = random.Random(seed)
        register = Register(chance, *shape)
        graph = register.graph()
        ends = register.companies + [din for din in register.people if any(din == seat[0] for seat in register.seats)]
        pairs = [tuple(chance.sample(ends, 2)) for _ in range(PAIRS)]
        pairs += [(register.people[0], cin) for cin in register.companies[:20]] if shape[-1] else []
        with tempfile.TemporaryDirectory() as folder:
            service = Service(pathlib.Path(folder), register)
            try:
                service.wait(*pairs[0])
                counts = [compare(register, graph, service, *pair) for pair in pairs]
            finally:
                service.process.terminate()
                service.process.wait()
        connected, many = sum(count > 0 for count in counts), sum(count > MAX_PATHS for count in counts)
        assert connected, "no pair is connected"
        print(f"{shape[0]} companies: {len(pairs)} pairs, {connected} connected, {many} by more than {MAX_PATHS} paths")


main()
