import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Instant;

/**
 * What reading a clock costs inside a JVM: toll starts this class and asks it for blocks.
 *
 * <p>One request a line on standard input, one answer a line on standard output:
 *
 * <pre>
 * describe            java.version=17.0.15[tab]java.vendor=Debian[tab]…
 * warm OP             ok, once OP's loop is compiled and its times have settled
 * run OP CALLS        NANOSECONDS CALLS [SWITCHES]
 * </pre>
 *
 * <p>CALLS are rounded up to whole loop bodies; the answer holds those made. SWITCHES says how often
 * the kernel switched the thread out meanwhile, where /proc tells. Whatever goes wrong becomes
 * {@code error MESSAGE} and exit code 3. The end of the input ends the program.
 *
 * <p>Java 8 on purpose: one class file serves every JVM from 8 on.
 */
public final class ClockProbe {
    /** Calls in the body of each loop. */
    private static final int UNROLL = 16;

    private static final String[] OPERATIONS = {
        "empty", "currentTimeMillis", "nanoTime", "Instant.now",
    };

    /**
     * C2 compiles a method after some 15,000 calls and loop rounds together (Tier4CompileThreshold).
     * Short runs reach that soonest where a call is dear: 2,000 of 16 bodies are 34,000.
     */
    private static final int TRAINING_RUNS = 2_000;
    private static final int TRAINING_BODIES = 16;
    private static final long TRAINING_AT_MOST_NANOS = 1_000_000_000L;

    /** Bounds on a warm-up: C2 works beside us and needs time, a person must not have to wait. */
    private static final long WARM_AT_LEAST_NANOS = 100_000_000L;
    private static final long WARM_AT_MOST_NANOS = 400_000_000L;
    private static final int WARM_RUNS_A_GROUP = 64;

    private static boolean trained;

    /** Where sums end, so that no compiler can leave out the calls that made them. */
    private static volatile long sink;

    /** What the empty loop reads: a read that no compiler can leave out either. */
    private static volatile long source = 1;

    private ClockProbe() {}

    public static void main(String[] args) {
        PrintStream answers = new PrintStream(System.out, true);
        try {
            BufferedReader requests =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                answers.println(answer(line.split(" ")));
            }
        } catch (Throwable failure) {
            String message = String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
            answers.println("error " + failure.getClass().getSimpleName() + ": " + message);
            System.exit(3);
        }
    }

    private static String answer(String[] words) {
        if (words.length == 1 && words[0].equals("describe")) {
            return describe();
        } else if (words.length == 2 && words[0].equals("warm")) {
            warm(words[1]);
            return "ok";
        } else if (words.length == 3 && words[0].equals("run")) {
            return run(words[1], Long.parseLong(words[2]));
        }
        throw new IllegalArgumentException("not a request: " + String.join(" ", words));
    }

    private static String describe() {
        StringBuilder line = new StringBuilder();
        String[] keys = {
            "java.version", "java.vendor", "java.home",
            "java.vm.name", "java.vm.version", "java.vm.vendor", "java.vm.info",
        };
        for (String key : keys) {
            String value = System.getProperty(key, "").replaceAll("\\s+", " ");
            line.append(line.length() == 0 ? "" : "\t").append(key).append('=').append(value);
        }
        return line.toString();
    }

    private static String run(String op, long calls) {
        long bodies = calls / UNROLL + (calls % UNROLL == 0 ? 0 : 1);
        if (bodies < 1 || bodies > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    calls + " calls: must be 1 to " + (long) Integer.MAX_VALUE * UNROLL);
        }
        long switchesBefore = switches();
        long nanos = time(op, (int) bodies);
        long switches = switches() - switchesBefore;
        String answer = nanos + " " + bodies * UNROLL;
        return switchesBefore < 0 ? answer : answer + " " + switches;
    }

    /**
     * Runs all loops in turn, once for all. C2 leaves out what it has never seen taken: were they
     * warmed one by one, each request for another would throw the compiled code away.
     */
    private static void train() {
        long begun = System.nanoTime();
        for (int runs = 0; runs < TRAINING_RUNS; runs++) {
            for (String op : OPERATIONS) {
                time(op, TRAINING_BODIES);
            }
            if (System.nanoTime() - begun >= TRAINING_AT_MOST_NANOS) {
                break;
            }
        }
        trained = true;
    }

    /** Runs the loop until its times settle, so that C2's code and no other is measured. */
    private static void warm(String op) {
        if (!trained) {
            train();
        }
        long begun = System.nanoTime();
        long best = Long.MAX_VALUE;
        int settled = 0;
        while (true) {
            long group = Long.MAX_VALUE;
            for (int i = 0; i < WARM_RUNS_A_GROUP; i++) {
                group = Math.min(group, time(op, TRAINING_BODIES));
            }
            // Settled: three groups on end without one that is faster by 2% or more.
            settled = group < best - best / 50 ? 0 : settled + 1;
            best = Math.min(best, group);
            long passed = System.nanoTime() - begun;
            boolean enough = passed >= WARM_AT_LEAST_NANOS && settled >= 3;
            if (enough || passed >= WARM_AT_MOST_NANOS) {
                return;
            }
        }
    }

    private static long time(String op, int bodies) {
        long begin;
        long end;
        long sum;
        switch (op) {
            case "empty":
                begin = System.nanoTime();
                sum = empty(bodies);
                end = System.nanoTime();
                break;
            case "currentTimeMillis":
                begin = System.nanoTime();
                sum = currentTimeMillis(bodies);
                end = System.nanoTime();
                break;
            case "nanoTime":
                begin = System.nanoTime();
                sum = nanoTime(bodies);
                end = System.nanoTime();
                break;
            case "Instant.now":
                begin = System.nanoTime();
                sum = instantNow(bodies);
                end = System.nanoTime();
                break;
            default:
                throw new IllegalArgumentException("no such operation: " + op);
        }
        sink = sum;
        return end - begin;
    }

    /**
     * The loop alone: what is left of the others without their calls. The one read a body keeps it
     * from being computed away. The sixteen additions of the others cost nothing beside the calls,
     * which they do not wait for, so they are not counted here.
     */
    private static long empty(int bodies) {
        long sum = 0;
        for (int i = 0; i < bodies; i++) {
            sum += source;
        }
        return sum;
    }

    private static long currentTimeMillis(int bodies) {
        long sum = 0;
        for (int i = 0; i < bodies; i++) {
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
            sum += System.currentTimeMillis();
        }
        return sum;
    }

    private static long nanoTime(int bodies) {
        long sum = 0;
        for (int i = 0; i < bodies; i++) {
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
            sum += System.nanoTime();
        }
        return sum;
    }

    /** The objects do not outlive the loop, so C2 may do without making them: the least it costs. */
    private static long instantNow(int bodies) {
        long sum = 0;
        for (int i = 0; i < bodies; i++) {
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
            sum += Instant.now().getNano();
        }
        return sum;
    }

    private static final Path STATUS = Paths.get("/proc/thread-self/status");

    /** Context switches of this thread so far, of both kinds; -1 where /proc does not tell. */
    private static long switches() {
        try {
            long sum = -1;
            for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
                if (line.contains("voluntary_ctxt_switches:")) {
                    long count = Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
                    sum = Math.max(sum, 0) + count;
                }
            }
            return sum;
        } catch (IOException unreadable) {
            return -1;
        }
    }
}
