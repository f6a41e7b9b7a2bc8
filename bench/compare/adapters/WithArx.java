import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** ARX: TABLE OUTPUT full-domain|local K L T SENSITIVE COLUMN=HIERARCHY... (L or T 0: not asked). */
public final class WithArx {
  /** Of all records that a full-domain release may leave out: the same as anjana's. */
  private static final double SUPPRESSION = 0.05;
  /** Local recoding first leaves out all it likes, and then takes these records step by step. */
  private static final double STEP = 0.01;

  public static void main(String[] arguments) throws Exception {
    final boolean local = arguments[2].equals("local");
    final long begin = System.nanoTime();
    final Data data = Data.create(arguments[0], StandardCharsets.UTF_8, ',');
    for (int i = 7; i < arguments.length; ++i) {
      final String[] rule = arguments[i].split("=", 2);
      data.getDefinition().setAttributeType(rule[0], Hierarchy.create(lines(Path.of(rule[1]))));
    }
    final ARXConfiguration asked = configuration(arguments, local, data);
    final long readDone = System.nanoTime();

    final ARXResult result = new ARXAnonymizer().anonymize(data, asked);
    final DataHandle release = result.getOutput(false);
    if (release == null) {
      System.err.println("finds no solution");
      System.exit(1);
    }
    if (local && result.isOptimizable(release)) {
      result.optimizeIterativeFast(release, STEP);
    }
    final long anonymizeDone = System.nanoTime();

    write(release, Path.of(arguments[1]));
    final long writeDone = System.nanoTime();
    System.out.printf("%n{\"seconds\": {\"read\": %s, \"anonymize\": %s, \"write\": %s}}%n",
        (readDone - begin) / 1e9, (anonymizeDone - readDone) / 1e9, (writeDone - anonymizeDone) / 1e9);
  }

  private static ARXConfiguration configuration(String[] arguments, boolean local, Data data) {
    final ARXConfiguration asked = ARXConfiguration.create();
    asked.addPrivacyModel(new KAnonymity(Integer.parseInt(arguments[3])));
    final int l = Integer.parseInt(arguments[4]);
    final double t = Double.parseDouble(arguments[5]);
    final String sensitive = arguments[6];
    data.getDefinition().setAttributeType(
        sensitive, l > 0 || t > 0 ? AttributeType.SENSITIVE_ATTRIBUTE : AttributeType.INSENSITIVE_ATTRIBUTE);
    if (l > 0) {
      asked.addPrivacyModel(new DistinctLDiversity(sensitive, l));
    }
    if (t > 0) {
      asked.addPrivacyModel(new EqualDistanceTCloseness(sensitive, t));
    }
    asked.setSuppressionLimit(local ? 1d - STEP : SUPPRESSION);
    asked.setQualityModel(Metric.createLossMetric(0d));
    return asked;
  }

  private static String[][] lines(Path path) throws IOException {
    final List<String[]> found = new ArrayList<>();
    for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
      if (!line.isEmpty()) {
        found.add(line.split(";"));
      }
    }
    return found.toArray(new String[0][]);
  }

  /** Suppressed records, which ARX shows as rows of stars, are left out. */
  private static void write(DataHandle release, Path path) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(path, StandardCharsets.UTF_8)) {
      final int columns = release.getNumColumns();
      for (int row = -1; row < release.getNumRows(); ++row) {
        if (row >= 0 && release.isOutlier(row)) {
          continue;
        }
        final StringBuilder line = new StringBuilder();
        for (int column = 0; column < columns; ++column) {
          line.append(column > 0 ? "," : "");
          line.append(quoted(row < 0 ? release.getAttributeName(column) : release.getValue(row, column)));
        }
        out.write(line.append('\n').toString());
      }
    }
  }

  private static String quoted(String value) {
    return value.contains(",") || value.contains("\"") ? '"' + value.replace("\"", "\"\"") + '"' : value;
  }

  private WithArx() {}
}
